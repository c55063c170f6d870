/**
 * Vulkan for the tests: Mesa's software device, or whatever GGML_VK_VISIBLE_DEVICES names. What runs on it runs in processes of
 * its own, because lavapipe's heap does not survive many different graphs in one.
 */
import { test } from "@jest/globals";
import { spawnSync } from "node:child_process";

/** Set where the tests must not be skipped, as on the machine that checks every change. */
const REQUIRED = "GGSL_REQUIRE_VULKAN";

export const ENVIRONMENT = { GGML_VK_VISIBLE_DEVICES: "0", ...process.env };

/** Runs the command line with a Vulkan device. Its standard output; throws with standard error when it fails. */
export function ggsl(...args: readonly string[]): string {
  return node("runtime/dist/cli/main.js", ...args);
}

/** Runs a program of Node's. */
export function node(...args: readonly string[]): string {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    ...{ encoding: "utf8", env: ENVIRONMENT, maxBuffer: 2 ** 26 },
  });
  if (status !== 0) throw new Error(`${args.join(" ").slice(0, 200)}: status ${status ?? signal}\n${stderr}${stdout}`);
  return stdout;
}

interface Devices {
  readonly devices: readonly { readonly name: string; readonly backend: string }[];
  readonly backends: readonly { readonly name: string; readonly reason?: string }[];
}

/** Why there is no Vulkan; undefined where there is. */
function absence(): string | undefined {
  const { devices, backends } = JSON.parse(ggsl("devices", "--json")) as Devices;
  if (devices.some(({ backend }) => backend === "vulkan")) return undefined;
  return backends.find(({ name }) => name === "vulkan")?.reason ?? "no reason was given";
}

const reason = absence();

/** A test that needs Vulkan: skipped without it, with a plain message, or failed where it is required. */
export function vulkanTest(title: string, run: () => void | Promise<void>, seconds = 300): void {
  if (reason === undefined) test(title, run, seconds * 1000);
  else if (process.env[REQUIRED]) test(title, () => Promise.reject(new Error(`${REQUIRED} is set, but: ${reason}`)));
  else test.skip(`${title} (no Vulkan here: apt-get install mesa-vulkan-drivers libvulkan1)`, run);
}

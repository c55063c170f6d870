/**
 * Vulkan for the tests: Mesa's software device, or the one that GGML_VK_VISIBLE_DEVICES names. It runs in separate processes,
 * because many different graphs in one process corrupt lavapipe's heap.
 */
import { spawnSync } from "node:child_process";
import { needing } from "../needs.js";

export const ENVIRONMENT = { GGML_VK_VISIBLE_DEVICES: "0", ...process.env };

/** Runs the command line with a Vulkan device and returns its standard output; throws its standard error if it fails. */
export function ggsl(...args: readonly string[]): string {
  return node("runtime/dist/cli/main.js", ...args);
}

/** Runs a Node.js program. */
export function node(...args: readonly string[]): string {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: ENVIRONMENT,
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${args.join(" ").slice(0, 200)}: status ${status ?? signal}\n${stderr}${stdout}`);
  return stdout;
}

interface Devices {
  readonly devices: readonly { readonly name: string; readonly backend: string }[];
  readonly backends: readonly { readonly name: string; readonly reason?: string }[];
}

/** Why Vulkan is unavailable; undefined if it is available. */
function absence(): string | undefined {
  const { devices, backends } = JSON.parse(ggsl("devices", "--json")) as Devices;
  if (devices.some(({ backend }) => backend === "vulkan")) return undefined;
  return backends.find(({ name }) => name === "vulkan")?.reason ?? "no reason was given";
}

const reason = absence();

const { test } = needing({
  what: `a Vulkan device (${reason})`,
  isThere: reason === undefined,
  fix: "apt-get install mesa-vulkan-drivers libvulkan1",
  isRequired: Boolean(process.env["GGSL_REQUIRE_VULKAN"]),
});

/** A test that needs Vulkan. */
export const vulkanTest = (title: string, run: () => void | Promise<void>, seconds = 300): void =>
  test(title, run, seconds * 1000);

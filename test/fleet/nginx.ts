/** nginx with the configuration of examples/fleet, at free ports of the loopback address. */
import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { program, isSet } from "../needs.js";

const FILES = "examples/fleet";

export const NGINX = program(["nginx", "-v"], { isRequired: isSet("GGSL_NEED_NGINX") });

export interface Nginx {
  readonly url: string;
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Starts nginx in front of servers at these two ports. */
export async function startNginx(ports: readonly [number, number]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-nginx-"));
  // started by root, its workers are another user's
  chmodSync(folder, 0o755);
  const own = await freePort();
  const places = { "127.0.0.1:8080": own, "127.0.0.1:8081": ports[0], "127.0.0.1:8082": ports[1] };
  let text = readFileSync(join(FILES, "nginx.conf"), "utf8");
  for (const [address, port] of Object.entries(places)) {
    if (text.split(address).length !== 2) throw new Error(`nginx.conf should name ${address} once`);
    text = text.replace(address, `127.0.0.1:${port}`);
  }
  writeFileSync(join(folder, "nginx.conf"), text);
  writeFileSync(join(folder, "proxy.conf"), readFileSync(join(FILES, "proxy.conf")));
  const child = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (errors += part));
  const url = `http://127.0.0.1:${own}`;
  for (let isUp = false; !isUp;) {
    if (child.exitCode !== null) throw new Error(`nginx has ended:\n${errors}`);
    isUp = await fetch(`${url}/ready`).then(
      () => true,
      () => false,
    );
    if (!isUp) await wait(10);
  }
  return {
    url,
    async close() {
      await ended(child);
      rmSync(folder, { recursive: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const end = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await end;
}

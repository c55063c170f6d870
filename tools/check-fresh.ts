/**
 * `npm run check:fresh`: what a new user does, on an empty Debian 12. debootstrap makes it in build/fresh, with g++, cmake, make, git and
 * ca-certificates; Node.js and npm are copies of those that run this. The last commit of this checkout is cloned into it, then
 * `npm run demo` and `npm test` run there. Prints what they print, their times, and sizes. Needs root and debootstrap. Not part of
 * `npm test`: everything is installed and built again.
 *
 *     --commands   the commands, instead of "npm run demo; npm test"
 *     --again      keeps the Debian of the last run, with npm's cache; the clone is new
 *     --box DIR    makes it there, instead of in build/fresh
 */
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readArguments } from "./lib/arguments.js";
import { attempt, root, run, ToolError } from "./lib/process.js";

const SUITE = "bookworm";
const PACKAGES = ["g++", "cmake", "make", "git", "ca-certificates"];

/** In the box. */
const HOME = "/root";
const CHECKOUT = `${HOME}/ggsl`;
/** What is measured, in the checkout and outside it. */
const FOLDERS = [".", ".git", "node_modules", "build", "../.npm"];

/** Devices that every machine has. There is no pseudo-terminal. */
const DEVICES = ["null", "zero", "full", "random", "urandom"];

/** Variables that say how to reach a registry. */
const CARRIED =
  /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file|npm_config_(.*registry|.*proxy|strict_ssl))$/i;

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments('npm run check:fresh -- [--commands "COMMAND; COMMAND"] [--again] [--box DIR]', {
    args,
    options: {
      commands: { type: "string", default: "npm run demo; npm test" },
      again: { type: "boolean", default: false },
      box: { type: "string", default: join(root, "build", "fresh") },
    },
  });
  const folder = resolve(values.box);
  const box = join(folder, "debian");
  if (!values.again) await makeDebian(folder, box);
  else if (!existsSync(join(box, "usr/bin/git")))
    throw new ToolError(`check:fresh: --again needs the Debian of an earlier run, and ${box} has none`);
  await copyNode(box);
  await carrySettings(box);
  await clone(box);
  const commands = values.commands.split(";").map((command) => command.trim());
  const lines: string[] = [];
  let worst = 0;
  for (const command of commands) {
    console.log(`\n=== ${command}`);
    const start = performance.now();
    const status = await inBox(box, command);
    const minutes = ((performance.now() - start) / 60_000).toFixed(1);
    worst = Math.max(worst, status);
    lines.push(`${command}: status ${status}, ${minutes} minutes; then ${await sizes(box)}`);
  }
  console.log(`\n${lines.join("\n")}\nThe box is still there: ${folder}`);
  return worst;
}

async function makeDebian(folder: string, box: string): Promise<void> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    throw new ToolError("check:fresh: needs root on Linux, to make a Debian and to change its root to it");
  if ((await attempt("debootstrap", ["--version"])).status !== 0)
    throw new ToolError(
      "check:fresh: there is no debootstrap. On Debian or Ubuntu, as root: apt-get install debootstrap",
    );
  const cache = join(folder, "packages");
  rmSync(box, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  console.log(`check:fresh: making Debian ${SUITE} in ${box}`);
  const options = ["--variant=minbase", `--include=${PACKAGES.join(",")}`, `--cache-dir=${cache}`];
  await run("debootstrap", [...options, SUITE, box, ...(await mirror())]);
}

/** Where this machine's apt takes the suite from, if it is Debian of this suite; else debootstrap's own choice. */
async function mirror(): Promise<string[]> {
  const { status, output } = await attempt("apt-get", [
    ...["indextargets", "--format", "$(REPO_URI)"],
    ...["Created-By: Packages", `Codename: ${SUITE}`, "Component: main"],
  ]);
  const [first] = output.split("\n").filter((line) => /^https?:/.test(line));
  return status === 0 && first !== undefined ? [first] : [];
}

/** Node.js and its npm, as a user would unpack them. */
async function copyNode(box: string): Promise<void> {
  const bin = join(box, "usr/local/bin");
  for (const name of ["node", "npm", "npx"]) rmSync(join(bin, name), { force: true });
  cpSync(realpathSync(process.execPath), join(bin, "node"));
  const modules = (await answer("npm", ["root", "--global"])).trim();
  const copy = join(box, "usr/local/lib/node_modules/npm");
  rmSync(copy, { recursive: true, force: true });
  cpSync(realpathSync(join(modules, "npm")), copy, { recursive: true, verbatimSymlinks: true });
  for (const name of ["npm", "npx"]) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
}

/** How this machine reaches its network and npm's registry: names of servers, certificates, npm's settings. */
async function carrySettings(box: string): Promise<void> {
  const files = [
    ...["/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt"].map((file) => [file, file]),
    [await setting("userconfig"), `${HOME}/.npmrc`],
    [await setting("globalconfig"), "/usr/local/etc/npmrc"],
    ...[await setting("cafile"), process.env["NODE_EXTRA_CA_CERTS"] ?? ""].map((file) => [file, file]),
  ];
  for (const [from, to] of files as [string, string][]) {
    if (from === "" || from === "null" || !existsSync(from)) continue;
    mkdirSync(dirname(join(box, to)), { recursive: true });
    rmSync(join(box, to), { force: true });
    writeFileSync(join(box, to), readFileSync(from), { mode: 0o600 });
  }
}

/** A setting of npm, outside the checkout, whose own settings are in the clone. */
const setting = async (name: string): Promise<string> => (await answer("npm", ["config", "get", name])).trim();

async function clone(box: string): Promise<void> {
  const { output } = await attempt("git", ["status", "--porcelain"]);
  if (output !== "") console.log("check:fresh: the clone has the last commit, without the changes since then");
  rmSync(join(box, CHECKOUT), { recursive: true, force: true });
  await run("git", ["clone", "--quiet", "--no-hardlinks", root, join(box, CHECKOUT)]);
}

/** Runs a command in the clone, with nothing of this machine but its kernel; mounts end with it. Returns its status. */
async function inBox(box: string, command: string): Promise<number> {
  const mounts = [
    'mount -t tmpfs -o mode=755 none "$box/dev"',
    `for name in ${DEVICES.join(" ")}; do touch "$box/dev/$name"; mount --bind "/dev/$name" "$box/dev/$name"; done`,
    'mkdir -m 1777 "$box/dev/shm"; mount -t tmpfs none "$box/dev/shm"',
    'mount -t proc none "$box/proc"',
  ];
  const carried = Object.entries(process.env).filter(([name]) => CARRIED.test(name));
  const environment = [`HOME=${HOME}`, "PATH=/usr/local/bin:/usr/bin:/bin", "TERM=dumb"];
  environment.push(...carried.map(([name, value]) => `${name}=${value}`));
  const script = `set -e; box="$1"; shift; ${mounts.join("; ")}; exec chroot "$box" env -i "$@"`;
  const inside = ["sh", "-c", `cd ${CHECKOUT} && ${command} < /dev/null`];
  const { status } = await attempt(
    "unshare",
    [
      ...["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"],
      ...["sh", "-c", script, "sh", box, ...environment, ...inside],
    ],
    { stdio: "inherit" },
  );
  return status;
}

/** In MB, as a disk holds them. */
async function sizes(box: string): Promise<string> {
  const found = FOLDERS.map((name) => join(box, CHECKOUT, name)).filter((path) => existsSync(path));
  const measured = await Promise.all(found.map(async (path) => (await answer("du", ["-sm", path])).split("\t")[0]!));
  return found.map((path, i) => `${path.slice(join(box, HOME).length + 1)} ${measured[i]} MB`).join(", ");
}

async function answer(command: string, args: readonly string[]): Promise<string> {
  const { status, output, reason } = await attempt(command, args, { cwd: "/" });
  if (status !== 0) throw new ToolError(`check:fresh: ${command} ${args.join(" ")} failed: ${reason ?? output}`);
  return output;
}

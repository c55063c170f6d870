/**
 * Runs a tool, a program of this folder: `node tools/run.mjs NAME ARGUMENTS...`. Without a name it only installs the packages.
 * All other files here are TypeScript. This one is not, since on a fresh machine it comes before what runs them, tsx.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The oldest Node.js that all packages support. */
const NODE = [20, 19];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name, ...args] = process.argv.slice(2);

const fault = nodeFault() ?? packagesFault();
if (fault) {
  console.error(fault);
  // the last line of `npm test`, whatever fails
  if (name === "test") console.log("\n0 passed, 1 failed");
  process.exitCode = 1;
} else if (name === undefined) {
  console.log("setup: packages are there");
} else {
  runTool();
}

function nodeFault() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return undefined;
  return `setup: needs Node.js ${NODE.join(".")} or newer, found ${process.versions.node}`;
}

/**
 * Installs the packages, unless that was done for the same lock file. `npm install` keeps to the lock file and does not write
 * it. `npm ci` would insist on entries for the optional packages of all platforms, which a registry that holds only some of
 * them can not give.
 */
function packagesFault() {
  const stampFile = join(root, "node_modules", ".ggsl-stamp");
  const stamp = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return undefined;
  console.log("setup: installing packages (1000 MB the first time)");
  // development packages whatever NODE_ENV says: the compiler is built here
  const options = ["--no-save", "--ignore-scripts", "--include=dev", "--no-progress", "--loglevel=error"];
  const { status, error, stdout, stderr } = spawnSync("npm", ["install", ...options], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
  });
  if (status !== 0) {
    const output = `${stdout || ""}${stderr || ""}`.trimEnd();
    return `${output}\nsetup: installing packages failed${error ? `: ${error.message}` : ""}`;
  }
  writeFileSync(stampFile, stamp);
  return undefined;
}

/** The packages of this project are loaded from their sources, so that nothing has to be compiled before. */
function runTool() {
  const options = ["--conditions=@ggsl/source", `--import=${import.meta.resolve("tsx")}`];
  const child = spawn(process.execPath, [...options, join(root, "tools", "lib", "main.ts"), name, ...args], {
    stdio: "inherit",
  });
  // Ctrl-C reaches the tool, too; this process waits for its answer
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill());
  child.on("close", (status) => {
    process.exitCode = status ?? 1;
  });
}

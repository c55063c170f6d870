/**
 * Runs a tool of this folder: `node tools/run.mjs NAME ARGUMENTS...`. Without a name it only installs the packages.
 * It is JavaScript, unlike all other files here, because on a fresh machine it runs before tsx is installed.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUILDERS, compilersFault } from "./lib/compilers.mjs";

/** The oldest Node.js that all packages support. */
const NODE = [20, 19];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name, ...args] = process.argv.slice(2);

const fault = nodeFault() ?? packagesFault();
if (fault) {
  console.error(fault);
  // `npm test` always ends with this line
  if (name === "test") console.log("\n0 passed, 1 failed");
  process.exitCode = 1;
} else if (name === undefined) {
  console.log("setup: packages are installed");
} else {
  runTool();
}

function nodeFault() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return undefined;
  return `setup: needs Node.js ${NODE.join(".")} or newer, found ${process.versions.node}`;
}

/**
 * Installs the packages, unless they match the lock file; not before there is what else the tool needs. With these options `npm install` follows the lock file and does not
 * write it. `npm ci` would require the optional packages of all platforms, which an incomplete registry mirror lacks.
 */
function packagesFault() {
  const stampFile = join(root, "node_modules", ".ggsl-stamp");
  const stamp = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return undefined;
  const missing = BUILDERS.includes(name) ? compilersFault() : undefined;
  if (missing !== undefined) return missing;
  console.log("setup: installing packages (1700 MB the first time)");
  // with development packages, even if NODE_ENV is "production": the compiler is built here
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

/** Loads the packages of this project from their sources, so that nothing has to be compiled first. */
function runTool() {
  const options = ["--conditions=@ggsl/source", `--import=${import.meta.resolve("tsx")}`];
  const child = spawn(process.execPath, [...options, join(root, "tools", "lib", "main.ts"), name, ...args], {
    stdio: "inherit",
  });
  // Ctrl-C also reaches the tool; this process waits for it to end
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill());
  child.on("close", (status) => {
    process.exitCode = status ?? 1;
  });
}

/**
 * All set-up on a fresh machine: packages, generated sources, the compiled TypeScript, the native addon.
 * `npm run setup`; the demo and the tests call it first. What is done already is not done again. With `--packages` it
 * installs the packages and ends.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The oldest Node.js that all packages support. */
const NODE = [20, 19];
const TOOLS = ["g++", "cmake", "make", "git"];
/** What `tsc -p tsconfig.build.json` and scripts/bundle.mjs read. */
const SOURCES = [
  "compiler",
  "runtime",
  "cli",
  "lsp",
  "grammar",
  "bench",
  "vite",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts/bundle.mjs",
  "package-lock.json",
];

/** Files that are compiled at once; the environment variable is CMake's own. */
export const jobs = process.env.CMAKE_BUILD_PARALLEL_LEVEL || `${availableParallelism()}`;

/** Something the user has to mend; the message says how. */
export class SetupError extends Error {}

/** The packages alone, which needs no compilers. */
function setUpPackages() {
  checkNode();
  installPackages();
}

/** Brings the checkout to where the command line and the tests run. Throws a `SetupError`. */
export function setUp() {
  checkNode();
  checkTools();
  installPackages();
  run("generating sources", process.execPath, ["scripts/generate.mjs", "--check"]);
  compile();
  run("building the native addon", process.execPath, ["scripts/build-native.mjs"], { show: true });
}

/** Runs `main`, and ends the process with the status that it gives; an error the user can mend is one message. */
export function exitWith(main) {
  try {
    process.exitCode = main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return;
  throw new SetupError(`setup: needs Node.js ${NODE.join(".")} or newer, found ${process.versions.node}`);
}

function checkTools() {
  const missing = TOOLS.filter((tool) => spawnSync(tool, ["--version"]).status !== 0);
  if (missing.length === 0) return;
  throw new SetupError(
    `setup: missing ${missing.join(", ")}. On Debian or Ubuntu, as root: apt-get install ${TOOLS.join(" ")}`,
  );
}

/**
 * `npm install` keeps to the lock file and does not write it. `npm ci` would insist on entries for the optional packages
 * of all platforms, which a registry that holds only some of them can not give.
 */
function installPackages() {
  const stamp = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  once("node_modules", stamp, () => {
    console.log("setup: installing packages (1000 MB the first time)");
    // development packages whatever NODE_ENV says: the compiler is built here
    const options = ["--no-save", "--ignore-scripts", "--include=dev", "--no-progress", "--loglevel=error"];
    run("installing packages", "npm", ["install", ...options]);
  });
}

function compile() {
  once("dist", fingerprint(), () => {
    console.log("setup: compiling TypeScript");
    rmSync(join(root, "dist"), { recursive: true, force: true });
    run("compiling TypeScript", process.execPath, ["node_modules/typescript-7/bin/tsc", "-p", "tsconfig.build.json"]);
    run("bundling the command line", process.execPath, ["scripts/bundle.mjs"]);
  });
}

/** Fills a folder by `action`, unless that was done before for the same stamp. */
function once(folder, stamp, action) {
  const file = join(root, folder, ".ggsl-stamp");
  if (existsSync(file) && readFileSync(file, "utf8") === stamp) return;
  action();
  writeFileSync(file, stamp);
}

/** Changes with the sources' names and contents. */
function fingerprint() {
  const hash = createHash("sha256");
  const add = (path) => {
    if (statSync(join(root, path)).isDirectory()) {
      for (const name of readdirSync(join(root, path)).sort()) add(join(path, name));
    } else if (/\.(ts|mjs|json|wasm)$/.test(path) && !path.endsWith(".test.ts")) {
      hash.update(path).update(readFileSync(join(root, path)));
    }
  };
  SOURCES.filter((path) => existsSync(join(root, path))).forEach(add);
  return hash.digest("hex");
}

/** Runs a command; its output is shown only when it fails, or always if `show`. */
function run(what, command, args, { show = false } = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    stdio: show ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
  });
  if (status === 0) return;
  if (!show) console.error(`${stdout || ""}${stderr || ""}`.trimEnd());
  throw new SetupError(`setup: ${what} failed${error ? `: ${error.message}` : ""}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  exitWith(() => {
    const isPackages = process.argv.includes("--packages");
    (isPackages ? setUpPackages : setUp)();
    console.log(isPackages ? "setup: packages are there" : "setup: ready");
    return 0;
  });
}

/**
 * Builds the native addon, and the tool that checks and times it: `npm run build:native`.
 *
 * Headers come from the llama.cpp source inside the npm package node-llama-cpp, libraries from its platform package;
 * nothing is downloaded. Does nothing when neither sources nor versions changed since the last build.
 *
 *     --sanitize   instead builds the C++ tests with AddressSanitizer and UBSan, and runs them
 *     --cuda ARCH  instead builds ggml's CUDA backend (scripts/build-cuda.mjs)
 *     --force      builds in any case
 *     --source     only unpacks llama.cpp's source
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildCuda, checkArchitecture, checkNvcc } from "./build-cuda.mjs";
import { jobs, root } from "./setup.mjs";

/** compiler/llama/release.ts, as C++ has it. */
const facts = readFileSync(join(root, "native", "llama", "facts.generated.h"), "utf8");
const factOf = (name) => new RegExp(`#define GGSL_LLAMA_${name} "(.*)"`).exec(facts)[1];
const LLAMA_PACKAGE_VERSION = factOf("PACKAGE");
const LLAMA_TAG = factOf("TAG");
const PLATFORMS = { "linux-x64": "linux-x64", "linux-arm64": "linux-arm64" };

const buildFolder = join(root, "build");
const source = join(buildFolder, "llama.cpp");
const require = createRequire(join(root, "package.json"));
const sanitize = process.argv.includes("--sanitize");
const force = process.argv.includes("--force");
const sourceOnly = process.argv.includes("--source");

function stop(message) {
  console.error(`build:native: ${message}`);
  process.exit(1);
}

/** Runs a command; its output is shown only when it fails, or always if `show`. */
function run(command, args, { show = false, env = {} } = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    stdio: show ? "inherit" : "pipe",
    maxBuffer: 1 << 28,
    env: { ...process.env, ...env },
  });
  if (result.status === 0) return;
  if (!show) console.error(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  stop(`\`${command} ${args.join(" ")}\` failed${result.error ? `: ${result.error.message}` : ""}`);
}

/** Where npm has put a package: here, or above when this is a dependency itself. */
function packageFolder(name) {
  const folders = require.resolve.paths(name).map((folder) => join(folder, name));
  return (
    folders.find((folder) => existsSync(join(folder, "package.json"))) ??
    stop(`${name} is not installed. Run: npm run setup`)
  );
}

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** The folder of the prebuilt libraries, after checking that they are the ones this code is written for. */
function checkLlama() {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`];
  if (platform === undefined) {
    const known = Object.keys(PLATFORMS).join(", ");
    stop(
      `the native runtime supports ${known}, not ${process.platform}-${process.arch} yet. Other backends still work.`,
    );
  }
  const folder = packageFolder("node-llama-cpp");
  const version = readJson(join(folder, "package.json")).version;
  if (version !== LLAMA_PACKAGE_VERSION) {
    stop(`expected node-llama-cpp ${LLAMA_PACKAGE_VERSION}, found ${version}. Run: npm run setup`);
  }
  const { tag } = readJson(join(folder, "llama", "llama.cpp.info.json"));
  if (tag !== LLAMA_TAG) stop(`expected llama.cpp ${LLAMA_TAG} in node-llama-cpp, found ${tag}. Run: npm run setup`);

  const libraries = join(packageFolder(`@node-llama-cpp/${platform}`), "bins", platform);
  const library = `libllama.${LLAMA_TAG}.so`;
  if (!existsSync(join(libraries, library))) {
    stop(`expected ${library} in ${libraries}, found none. Reinstall: rm -rf node_modules && npm run setup`);
  }
  return { bundle: join(folder, "llama", "gitRelease.bundle"), libraries };
}

function checkTools() {
  const needed = { "g++": "g++", cmake: "cmake", make: "make", git: "git" };
  const missing = Object.keys(needed).filter((tool) => spawnSync(tool, ["--version"]).status !== 0);
  if (missing.length > 0) {
    const packages = missing.map((tool) => needed[tool]).join(" ");
    stop(`missing: ${missing.join(", ")}. On Debian or Ubuntu run: apt-get install ${packages}`);
  }
}

/** llama.cpp's source; a clone that was cut short has no stamp and is made anew. */
function cloneSource(bundle) {
  const stamp = join(source, ".ggsl-tag");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === LLAMA_TAG) return;
  console.log(`build:native: unpacking llama.cpp ${LLAMA_TAG}`);
  const partial = `${source}.partial`;
  for (const folder of [source, partial]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(buildFolder, { recursive: true });
  run("git", ["clone", "--quiet", "--depth", "1", bundle, partial], {
    env: { GIT_CONFIG_PARAMETERS: "'advice.detachedHead=false'" },
  });
  writeFileSync(join(partial, ".ggsl-tag"), LLAMA_TAG);
  renameSync(partial, source);
}

/** Changes whenever a new build could give another result. */
function fingerprint(libraries) {
  const hash = createHash("sha256");
  const add = (path) => hash.update(path).update(readFileSync(path));
  const addFolder = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) addFolder(path);
      else add(path);
    }
  };
  addFolder(join(root, "native"));
  add(fileURLToPath(import.meta.url));
  add(join(packageFolder("node-addon-api"), "package.json"));
  add(join(packageFolder("node-api-headers"), "package.json"));
  return hash.update(libraries).digest("hex");
}

/** native/package.json tells cmake-js that the addon uses Node-API, whose headers are a package: nothing is downloaded. */
function compile(libraries, folder, config, options = {}) {
  const cmakeJs = join(packageFolder("cmake-js"), "bin", "cmake-js");
  const cache = {
    LLAMA_SOURCE: source,
    LLAMA_LIBRARIES: libraries,
    GGSL_OUTPUT: join(buildFolder, "Release"),
    ...options,
  };
  const definitions = Object.entries(cache).map(([key, value]) => `--CD${key}=${value}`);
  const project = ["--directory", join(root, "native"), "--out", folder, "--config", config];
  const quiet = ["--generator", "Unix Makefiles", "--log-level", "error"];
  run(process.execPath, [cmakeJs, "configure", ...project, ...quiet, ...definitions]);
  run(process.execPath, [cmakeJs, "build", ...project, ...quiet, "--parallel", jobs], { show: true });
}

const { bundle, libraries } = checkLlama();

if (sourceOnly) {
  cloneSource(bundle);
  process.exit(0);
}

const cuda = process.argv.indexOf("--cuda");
if (cuda >= 0) {
  const architecture = checkArchitecture(process.argv[cuda + 1], stop);
  const nvcc = checkNvcc(buildFolder, stop);
  checkTools();
  cloneSource(bundle);
  buildCuda({ architecture, nvcc, source, buildFolder, tag: LLAMA_TAG, force, run });
  process.exit(0);
}

if (sanitize) {
  checkTools();
  cloneSource(bundle);
  const folder = join(buildFolder, "sanitize");
  // optimized more, it compiles for longer than it runs
  compile(libraries, folder, "RelWithDebInfo", { GGSL_SANITIZE: "ON", CMAKE_CXX_FLAGS_RELWITHDEBINFO: "-O1 -g1" });
  // The prebuilt libraries keep their device lists until the process ends, which counts as a leak.
  run(join(folder, "ggsl_test"), [libraries], {
    show: true,
    env: { UBSAN_OPTIONS: "print_stacktrace=1" },
  });
  process.exit(0);
}

const stampFile = join(buildFolder, "native.stamp");
const stamp = fingerprint(libraries);
const outputs = ["ggsl.node", "ggsl_oracle.node", "ggsl_common_oracle.node", "ggsl_replay"].map((name) =>
  join(buildFolder, "Release", name),
);
if (!force && outputs.every(existsSync) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
  console.log("build:native: up to date");
  process.exit(0);
}
checkTools();
cloneSource(bundle);
compile(libraries, join(buildFolder, "cmake"), "Release");
writeFileSync(stampFile, stamp);
console.log("build:native: built build/Release/ggsl.node");

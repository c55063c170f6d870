/**
 * Builds runtime/wasm/ggsl.wasm, the module that travels with the package: `npm run build:wasm`. Needs Debian 12's
 * emscripten; nothing is downloaded. The same sources and tools give the same bytes, whatever folder they lie in.
 *
 *     --llama   builds build/wasm-llama/out/ggsl-llama.wasm instead: llama.cpp's models with the chains in their graph. It is
 *               3 MB, takes two minutes, and is not part of the package. Nothing is done when its sources are as they were
 *     --check   builds it and compares it with the one that is there; with --llama only builds it. Without emscripten that is
 *               said and passes, or with GGSL_NEED_EMSCRIPTEN=1 fails
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitWith, jobs, root, SetupError } from "./setup.js";

/** Its version decides the bytes. */
const EMSCRIPTEN = "3.1.6";
const MODULE = join("runtime", "wasm", "ggsl.wasm");
/** What a page has to load; the module is to stay small. */
const MOST_BYTES = 350_000;

const isLlama = process.argv.includes("--llama");
const folder = join(root, "build", isLlama ? "wasm-llama" : "wasm");
const target = isLlama ? "ggsl-llama" : "ggsl";
const stampFile = join(folder, "sources.stamp");
const built = join(folder, "out", `${target}.wasm`);

/** libllama for addresses of 32 bits, and nothing that comes with it. */
const LLAMA = {
  LLAMA_WASM_MEM64: "OFF",
  LLAMA_BUILD_HTML: "OFF",
  LLAMA_BUILD_COMMON: "OFF",
  LLAMA_BUILD_TESTS: "OFF",
  LLAMA_BUILD_TOOLS: "OFF",
  LLAMA_BUILD_EXAMPLES: "OFF",
  LLAMA_BUILD_SERVER: "OFF",
};

/** Debian's optimizer finds its JavaScript packages only so. */
const env = { ...process.env, NODE_PATH: "/usr/share/nodejs" };

exitWith(() => {
  const isCheck = process.argv.includes("--check");
  const version = emscriptenVersion();
  if (isCheck && version === undefined && process.env.GGSL_NEED_EMSCRIPTEN !== "1") {
    const what = isLlama ? "the module with llama.cpp is NOT built, and not tested" : `${MODULE} is NOT checked`;
    console.log(`build:wasm: ${what}: emscripten is not installed (apt-get install emscripten)`);
    return 0;
  }
  if (version !== EMSCRIPTEN)
    throw new SetupError(
      `build:wasm: needs emscripten ${EMSCRIPTEN}, found ${version ?? "none"}. On Debian 12, as root: ` +
        "apt-get install --no-install-recommends emscripten cmake make",
    );
  run(process.execPath, ["tools/run.mjs", "build-native", "--source"]);
  if (isLlama) {
    const stamp = fingerprint();
    if (existsSync(built) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) {
      console.log("build:wasm: up to date");
      return 0;
    }
    build();
    writeFileSync(stampFile, stamp);
    console.log(`build:wasm: ${built}, ${statSync(built).size} bytes`);
    return 0;
  }
  build();
  if (isCheck) return compare();
  copyFileSync(built, join(root, MODULE));
  console.log(`build:wasm: ${MODULE}, ${statSync(built).size} bytes`);
  return 0;
});

function emscriptenVersion() {
  const { status, stdout } = spawnSync("emcc", ["--version"], { encoding: "utf8" });
  return status === 0 ? /\) (\S+)/.exec(stdout)?.[1] : undefined;
}

/** Changes whenever a new build could give another module. */
function fingerprint() {
  const hash = createHash("sha256").update(EMSCRIPTEN);
  const add = (path) => hash.update(path).update(readFileSync(join(root, path)));
  add(join("build", "llama.cpp", ".ggsl-tag"));
  add(join("tools", "build-wasm.ts"));
  for (const sources of ["graph", "llama", "wasm"].map((name) => join("native", name)))
    for (const entry of readdirSync(join(root, sources), { recursive: true }).sort())
      if (statSync(join(root, sources, entry)).isFile()) add(join(sources, entry));
  return hash.digest("hex");
}

function build() {
  // what an older version of these files left must not get into the module
  rmSync(join(folder, "CMakeCache.txt"), { force: true });
  const options = {
    CMAKE_BUILD_TYPE: "None",
    // else CMake takes the processor for that of this machine
    EMSCRIPTEN_SYSTEM_PROCESSOR: "wasm32",
    BUILD_SHARED_LIBS: "OFF",
    GGML_NATIVE: "OFF",
    GGML_OPENMP: "OFF",
    GGML_LLAMAFILE: "OFF",
    GGML_CCACHE: "OFF",
    ...(isLlama && LLAMA),
    LLAMA_SOURCE: join(root, "build", "llama.cpp"),
    GGSL_OUTPUT: join(folder, "out"),
  };
  const definitions = Object.entries(options).map(([key, value]) => `-D${key}=${value}`);
  console.log("build:wasm: configuring");
  run("emcmake", [
    "cmake",
    "-G",
    "Unix Makefiles",
    "-S",
    join("native", "wasm", isLlama ? "llama" : ""),
    "-B",
    folder,
    ...definitions,
  ]);
  console.log(
    `build:wasm: compiling ${isLlama ? "llama.cpp (two minutes)" : "ggml and the graph builder (about a minute)"}`,
  );
  run("cmake", ["--build", folder, "--parallel", jobs, "--target", target]);
  const { size } = statSync(built);
  if (!isLlama && size > MOST_BYTES)
    throw new SetupError(`build:wasm: the module has ${size} bytes; at most ${MOST_BYTES} are allowed`);
}

function compare() {
  const committed = join(root, MODULE);
  if (existsSync(committed) && readFileSync(committed).equals(readFileSync(built))) {
    console.log(`build:wasm: ${MODULE} is what its sources give`);
    return 0;
  }
  console.error(`build:wasm: ${MODULE} is not what its sources give. Run: npm run build:wasm`);
  return 1;
}

/** Runs a command; its output is shown only when it fails. */
function run(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env,
    maxBuffer: 1 << 28,
  });
  if (status === 0) return;
  console.error(`${stdout ?? ""}${stderr ?? ""}`.trimEnd());
  throw new SetupError(`build:wasm: \`${command} ${args.join(" ")}\` failed${error ? `: ${error.message}` : ""}`);
}

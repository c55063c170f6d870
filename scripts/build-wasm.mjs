/**
 * Builds runtime/wasm/ggsl.wasm, the module that travels with the package: `npm run build:wasm`. Needs Debian 12's
 * emscripten; nothing is downloaded. The same sources and tools give the same bytes, whatever folder they lie in.
 *
 *     --check   builds it and compares it with the one that is there. Without emscripten that is said and passes, or with
 *               GGSL_NEED_EMSCRIPTEN=1 fails
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { exitWith, root, SetupError } from "./setup.mjs";

/** Its version decides the bytes. */
const EMSCRIPTEN = "3.1.6";
const MODULE = join("runtime", "wasm", "ggsl.wasm");
/** What a page has to load; the module is to stay small. */
const MOST_BYTES = 350_000;

const folder = join(root, "build", "wasm");
const built = join(folder, "out", "ggsl.wasm");

/** Debian's optimizer finds its JavaScript packages only so. */
const env = { ...process.env, NODE_PATH: "/usr/share/nodejs" };

exitWith(() => {
  const isCheck = process.argv.includes("--check");
  const version = emscriptenVersion();
  if (isCheck && version === undefined && process.env.GGSL_NEED_EMSCRIPTEN !== "1") {
    console.log(`build:wasm: ${MODULE} is NOT checked: emscripten is not installed (apt-get install emscripten)`);
    return 0;
  }
  if (version !== EMSCRIPTEN)
    throw new SetupError(
      `build:wasm: needs emscripten ${EMSCRIPTEN}, found ${version ?? "none"}. On Debian 12, as root: ` +
        "apt-get install --no-install-recommends emscripten cmake make",
    );
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

function build() {
  run(process.execPath, [join("scripts", "build-native.mjs"), "--source"]);
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
    LLAMA_SOURCE: join(root, "build", "llama.cpp"),
    GGSL_OUTPUT: join(folder, "out"),
  };
  const definitions = Object.entries(options).map(([key, value]) => `-D${key}=${value}`);
  console.log("build:wasm: configuring");
  run("emcmake", ["cmake", "-G", "Unix Makefiles", "-S", join("native", "wasm"), "-B", folder, ...definitions]);
  console.log("build:wasm: compiling ggml and the graph builder (about a minute)");
  run("cmake", ["--build", folder, "--parallel", "2", "--target", "ggsl"]);
  const { size } = statSync(built);
  if (size > MOST_BYTES)
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

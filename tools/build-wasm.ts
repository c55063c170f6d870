/**
 * Builds runtime/wasm/ggsl.wasm, the module in the package: `npm run build:wasm`. Needs Debian 12's emscripten; nothing is
 * downloaded. The same sources and tools give the same bytes in any folder.
 *
 *     --llama     builds build/wasm-llama/out/ggsl-llama.wasm instead: llama.cpp's models with the chains in their graph. It is
 *                 3 MB and takes two minutes. Does nothing if its sources are unchanged
 *     --check     builds it and compares it with the committed one; with --llama only builds it. Without emscripten it passes
 *                 with a message, or fails if GGSL_NEED_EMSCRIPTEN=1
 *     --recorded  compares the committed module and its sources with the record of its build, in a second and without emscripten
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unpackSource } from "./build-native.js";
import { readArguments } from "./lib/arguments.js";
import { attempt, jobs, root, run, ToolError } from "./lib/process.js";
import { skippedLine } from "./lib/skipped.js";
import { fingerprint, once } from "./lib/stamp.js";

/** The version determines the bytes of the module. */
const EMSCRIPTEN = "3.1.6";
const MODULE = join("runtime", "wasm", "ggsl.wasm");
/** What the committed module was built from, and its hash. */
const RECORD = join("native", "wasm", "built.json");
/** The maximum size of the module, because pages have to load it. */
const MOST_BYTES = 396_000;

interface Module {
  readonly isLlama: boolean;
  readonly folder: string;
  /** The make target. */
  readonly target: string;
  /** The path of the build. */
  readonly built: string;
}

function moduleOf(isLlama: boolean): Module {
  const folder = join(root, "build", isLlama ? "wasm-llama" : "wasm");
  const target = isLlama ? "ggsl-llama" : "ggsl";
  return { isLlama, folder, target, built: join(folder, "out", `${target}.wasm`) };
}

/** Builds only libllama, for 32-bit addresses. */
const LLAMA = {
  LLAMA_WASM_MEM64: "OFF",
  LLAMA_BUILD_HTML: "OFF",
  LLAMA_BUILD_COMMON: "OFF",
  LLAMA_BUILD_TESTS: "OFF",
  LLAMA_BUILD_TOOLS: "OFF",
  LLAMA_BUILD_EXAMPLES: "OFF",
  LLAMA_BUILD_SERVER: "OFF",
};

/** Debian's emscripten optimizer needs this to find its JavaScript packages. */
const env = { NODE_PATH: "/usr/share/nodejs" };

export async function main(args: readonly string[]): Promise<number> {
  const flag = { type: "boolean", default: false } as const;
  const { values } = readArguments("npm run build:wasm -- [--llama] [--check | --recorded]", {
    args,
    options: { llama: flag, check: flag, recorded: flag },
  });
  if (values.recorded) {
    await unpackSource();
    return compareRecord();
  }
  const version = await emscriptenVersion();
  if (values.check && version === undefined && process.env["GGSL_NEED_EMSCRIPTEN"] !== "1") {
    const what = values.llama ? "the WebAssembly module with llama.cpp" : `a comparison of ${MODULE} with its sources`;
    console.log(skippedLine(what, "emscripten: apt-get install emscripten"));
    return 0;
  }
  if (version !== EMSCRIPTEN)
    throw new ToolError(
      `build:wasm: needs emscripten ${EMSCRIPTEN}, found ${version ?? "none"}. On Debian 12, as root: ` +
        "apt-get install --no-install-recommends emscripten cmake make",
    );
  await unpackSource();
  const module = moduleOf(values.llama);
  if (values.llama) {
    await buildLlama(module);
    return 0;
  }
  await build(module);
  if (values.check) return compare(module);
  copyFileSync(module.built, join(root, MODULE));
  writeFileSync(join(root, RECORD), record());
  console.log(`build:wasm: ${MODULE}, ${statSync(module.built).size} bytes`);
  return 0;
}

async function emscriptenVersion(): Promise<string | undefined> {
  const { status, output } = await attempt("emcc", ["--version"]);
  return status === 0 ? /\) (\S+)/.exec(output)?.[1] : undefined;
}

async function buildLlama(module: Module): Promise<void> {
  const sources = ["graph", "grammar", "llama", "wasm"].map((name) => join("native", name));
  const read = [join("build", "llama.cpp", ".ggsl-tag"), join("tools", "build-wasm.ts"), ...sources];
  const made = await once(
    {
      stampFile: join(module.folder, "sources.stamp"),
      stamp: `${EMSCRIPTEN} ${fingerprint(read)}`,
      outputs: [module.built],
    },
    () => build(module),
  );
  console.log(`build:wasm: ${made ? `${module.built}, ${statSync(module.built).size} bytes` : "up to date"}`);
}

async function build({ isLlama, folder, target, built }: Module): Promise<void> {
  // values cached by an older version of these files must not affect the module
  rmSync(join(folder, "CMakeCache.txt"), { force: true });
  const options = {
    CMAKE_BUILD_TYPE: "None",
    // otherwise CMake assumes this machine's processor
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
  const sources = join("native", "wasm", isLlama ? "llama" : "");
  await run("emcmake", ["cmake", "-G", "Unix Makefiles", "-S", sources, "-B", folder, ...definitions], { env });
  console.log(
    `build:wasm: compiling ${isLlama ? "llama.cpp (two minutes)" : "ggml and the graph builder (about a minute)"}`,
  );
  await run("cmake", ["--build", folder, "--parallel", `${jobs}`, "--target", target], { env });
  const { size } = statSync(built);
  if (!isLlama && size > MOST_BYTES)
    throw new ToolError(`build:wasm: the module has ${size} bytes; at most ${MOST_BYTES} are allowed`);
}

/** The hashes of the module and of what it is built from. */
function record(): string {
  const tag = join("build", "llama.cpp", ".ggsl-tag");
  const sources = [tag, ...["graph", "grammar", "wasm", "sources.cmake"].map((name) => join("native", name))];
  const isRead = (path: string): boolean => path !== RECORD && !path.startsWith(join("native", "wasm", "llama"));
  const module = createHash("sha256")
    .update(readFileSync(join(root, MODULE)))
    .digest("hex");
  return `${JSON.stringify({ emscripten: EMSCRIPTEN, sources: fingerprint(sources, isRead), module }, null, 2)}\n`;
}

function compareRecord(): number {
  if (readFileSync(join(root, RECORD), "utf8") === record()) {
    console.log(`build:wasm: ${MODULE} is the one of ${RECORD}, and its sources are unchanged`);
    return 0;
  }
  console.error(
    `build:wasm: ${MODULE} or its sources have changed since ${RECORD} was written. Run: npm run build:wasm`,
  );
  return 1;
}

function compare({ built }: Module): number {
  const committed = join(root, MODULE);
  if (existsSync(committed) && readFileSync(committed).equals(readFileSync(built))) {
    console.log(`build:wasm: ${MODULE} matches its sources`);
    return 0;
  }
  console.error(`build:wasm: ${MODULE} does not match its sources. Run: npm run build:wasm`);
  return 1;
}

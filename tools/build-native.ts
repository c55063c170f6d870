/**
 * Builds the native addon, and the tool that checks and times it: `npm run build:native`.
 *
 * Headers come from the llama.cpp source inside the npm package node-llama-cpp, libraries from its platform package;
 * nothing is downloaded. Does nothing if neither sources nor versions have changed since the last build.
 *
 *     --sanitize   instead builds the C++ tests with AddressSanitizer and UBSan, and runs them
 *     --sanitize-addon  instead builds the addon with them, in a folder of its own (tools/sanitize.ts runs it)
 *     --cuda ARCH  instead builds ggml's CUDA backend (tools/lib/cuda.ts)
 *     --rpc        instead builds ggml's RPC backend (tools/lib/rpc.ts), which the set-up does as well
 *     --force      builds even if nothing has changed
 *     --c          instead builds the C library, build/Release/libggsl.so and libggsl.a
 *     --source     only unpacks llama.cpp's source
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import {
  backendFile,
  linkedFiles,
  PLATFORMS,
  platformName,
  type Platform,
  type PlatformName,
} from "ggsl/core/platforms.js";
import { readArguments } from "./lib/arguments.js";
import { compilersFault } from "./lib/compilers.mjs";
import { buildCuda, checkArchitecture, checkNvcc } from "./lib/cuda.js";
import { jobs, root, run, ToolError } from "./lib/process.js";
import { compileRpc } from "./lib/rpc.js";
import { fingerprint, once } from "./lib/stamp.js";

const buildFolder = join(root, "build");
const source = join(buildFolder, "llama.cpp");

class BuildError extends ToolError {
  constructor(message: string) {
    super(`build:native: ${message}`);
  }
}

export async function main(args: readonly string[]): Promise<void> {
  const { values } = readArguments(
    "npm run build:native -- [--sanitize | --sanitize-addon | --cuda ARCH | --c | --rpc | --source] [--force]",
    {
      args,
      options: {
        sanitize: { type: "boolean", default: false },
        "sanitize-addon": { type: "boolean", default: false },
        cuda: { type: "string" },
        c: { type: "boolean", default: false },
        rpc: { type: "boolean", default: false },
        force: { type: "boolean", default: false },
        source: { type: "boolean", default: false },
      },
    },
  );
  if (values.source) await unpackSource();
  else if (values.cuda !== undefined) await buildBackend(values.cuda, values.force);
  else if (values.rpc) await buildRpcBackend(values.force);
  else if (values.sanitize) await runSanitized();
  else if (values["sanitize-addon"]) await buildSanitized("addon");
  else if (values.c) await buildLibrary();
  else await buildAddon(values.force);
}

/** The C library, of the addon's objects. */
export async function buildLibrary(): Promise<void> {
  await buildAddon();
  await run("cmake", ["--build", join(buildFolder, "cmake"), "--target", "ggsl_libraries", "--parallel", `${jobs}`], {
    stdio: "inherit",
  });
}

/** Throws unless the C++ build tools are installed. */
export function checkCompilers(): void {
  const fault = compilersFault();
  if (fault !== undefined) throw new ToolError(fault);
}

/** Builds the addon, unless it is up to date. */
export async function buildAddon(force = false): Promise<void> {
  const { bundle, libraries } = checkLlama();
  const headers = ["node-addon-api", "node-api-headers"].map((name) => join("node_modules", name, "package.json"));
  const made = await once(
    {
      stampFile: join(buildFolder, "native.stamp"),
      stamp: `${fingerprint(["native", "tools/build-native.ts", ...headers])} ${libraries}`,
      outputs: ["ggsl.node", "ggsl_oracle.node", "ggsl_common_oracle.node", "ggsl_replay", "ggsl_texts"].map((name) =>
        join(buildFolder, "Release", name),
      ),
      force,
    },
    async () => {
      checkCompilers();
      await cloneSource(bundle);
      await compile(libraries, join(buildFolder, "cmake"), "Release");
    },
  );
  console.log(`build:native: ${made ? "built build/Release/ggsl.node" : "up to date"}`);
}

/** llama.cpp's source in build/llama.cpp. */
export const unpackSource = (): Promise<void> => cloneSource(checkLlama().bundle);

/** Builds ggml's RPC backend, unless it is up to date. */
export async function buildRpcBackend(force = false): Promise<void> {
  const { bundle, libraries } = checkLlama();
  const output = join(buildFolder, "rpc", backendFile("rpc"));
  const stamp = `${RELEASE.tag} ${libraries} ${fingerprint(["tools/lib/rpc.ts", "native/rpc"])}`;
  const stampFile = join(dirname(output), "stamp");
  const made = await once({ stampFile, stamp, outputs: [output], force }, async () => {
    checkCompilers();
    await cloneSource(bundle);
    mkdirSync(dirname(output), { recursive: true });
    await compileRpc({ source, libraries, compiler: "g++", output });
  });
  console.log(`build:native: ${made ? "built build/rpc/libggml-rpc.so" : "RPC backend up to date"}`);
}

async function buildBackend(given: string, force: boolean): Promise<void> {
  const { bundle } = checkLlama();
  const architecture = checkArchitecture(given);
  const nvcc = await checkNvcc(buildFolder);
  checkCompilers();
  await cloneSource(bundle);
  await buildCuda({ architecture, nvcc, source, buildFolder, tag: RELEASE.tag, force });
}

/** What can be built with sanitizers (GGSL_SANITIZE in native/CMakeLists.txt). */
type Sanitized = "tests" | "addon" | "c" | "threads";

/** Builds in `build/sanitize-KIND`. Returns that folder and llama.cpp's libraries, which have no instrumentation. */
export async function buildSanitized(kind: Sanitized): Promise<{ folder: string; libraries: string }> {
  const { bundle, libraries } = checkLlama();
  checkCompilers();
  await cloneSource(bundle);
  const folder = join(buildFolder, `sanitize-${kind}`);
  // with more optimization, compiling would take longer than running
  await compile(libraries, folder, "RelWithDebInfo", {
    GGSL_SANITIZE: kind,
    GGSL_OUTPUT: folder,
    CMAKE_CXX_FLAGS_RELWITHDEBINFO: "-O1 -g1",
  });
  return { folder, libraries };
}

async function runSanitized(): Promise<void> {
  const { folder, libraries } = await buildSanitized("tests");
  // The prebuilt libraries keep their device lists until the process ends, which counts as a leak.
  await run(join(folder, "ggsl_test"), [libraries], {
    stdio: "inherit",
    env: { UBSAN_OPTIONS: "print_stacktrace=1" },
  });
}

function packageFolder(name: string): string {
  const folder = join(root, "node_modules", name);
  if (!existsSync(join(folder, "package.json"))) throw new BuildError(`${name} is not installed. Run: npm run setup`);
  return folder;
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;

/** Checks llama.cpp's version. Returns the bundle of its source and the folder of a platform's prebuilt libraries. */
export function checkLlama(platform = platformName()): { bundle: string; libraries: string } {
  const row = rowOf(platform);
  const folder = packageFolder("node-llama-cpp");
  const { version } = readJson<{ version: string }>(join(folder, "package.json"));
  if (version !== RELEASE.package) {
    throw new BuildError(`expected node-llama-cpp ${RELEASE.package}, found ${version}. Run: npm run setup`);
  }
  const { tag } = readJson<{ tag: string }>(join(folder, "llama", "llama.cpp.info.json"));
  if (tag !== RELEASE.tag) {
    throw new BuildError(`expected llama.cpp ${RELEASE.tag} in node-llama-cpp, found ${tag}. Run: npm run setup`);
  }
  const bundle = join(folder, "llama", "gitRelease.bundle");
  // built from source by tools/lib/llamaLibraries.ts
  if (row.llama === undefined) return { bundle, libraries: join(buildFolder, `llama-${platform}`) };
  const libraries = join(packageFolder(`@node-llama-cpp/${row.llama}`), "bins", row.llama);
  const missing = Object.values(linkedFiles(row, RELEASE.tag)).find((file) => !existsSync(join(libraries, file)));
  if (missing !== undefined) {
    throw new BuildError(
      `expected ${missing} in ${libraries}, found none. Reinstall: rm -rf node_modules && npm run setup`,
    );
  }
  return { bundle, libraries };
}

function rowOf(platform: string): Platform {
  if (platform in PLATFORMS) return PLATFORMS[platform as PlatformName];
  const names = Object.keys(PLATFORMS).join(", ");
  throw new BuildError(`the native runtime supports ${names}, not ${platform} yet. Other backends still work.`);
}

/** Clones llama.cpp's source. An interrupted clone has no stamp and is repeated. */
async function cloneSource(bundle: string): Promise<void> {
  const stamp = join(source, ".ggsl-tag");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === RELEASE.tag) return;
  console.log(`build:native: unpacking llama.cpp ${RELEASE.tag}`);
  const partial = `${source}.partial`;
  for (const folder of [source, partial]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(buildFolder, { recursive: true });
  await run("git", ["clone", "--quiet", "--depth", "1", bundle, partial], {
    env: { GIT_CONFIG_PARAMETERS: "'advice.detachedHead=false'" },
  });
  writeFileSync(join(partial, ".ggsl-tag"), RELEASE.tag);
  renameSync(partial, source);
}

/** What the target `ggsl_package`, the addon in a platform's package, needs. */
export const packageCache = (platform: string): Readonly<Record<string, string>> => ({
  GGSL_PACKAGE: join(buildFolder, "platforms", platform),
  GGSL_LLAMA_PACKAGE: rowOf(platform).llama ?? "",
});

/** Links the objects of the addon once more, for this platform's package. */
export async function linkPackage(): Promise<void> {
  await buildAddon(!existsSync(join(buildFolder, "cmake", "CMakeCache.txt")));
  await run("cmake", ["--build", join(buildFolder, "cmake"), "--target", "ggsl_package"]);
}

/** native/package.json tells cmake-js that the addon uses Node-API, whose headers are a package: nothing is downloaded. */
async function compile(
  libraries: string,
  folder: string,
  config: string,
  options: Readonly<Record<string, string>> = {},
): Promise<void> {
  const cmakeJs = join(packageFolder("cmake-js"), "bin", "cmake-js");
  const cache = {
    LLAMA_SOURCE: source,
    LLAMA_LIBRARIES: libraries,
    GGSL_OUTPUT: join(buildFolder, "Release"),
    ...packageCache(platformName()),
    ...options,
  };
  const definitions = Object.entries(cache).map(([key, value]) => `--CD${key}=${value}`);
  const project = ["--directory", join(root, "native"), "--out", folder, "--config", config];
  const quiet = ["--generator", "Unix Makefiles", "--log-level", "error"];
  await run(process.execPath, [cmakeJs, "configure", ...project, ...quiet, ...definitions]);
  await run(process.execPath, [cmakeJs, "build", ...project, ...quiet, "--parallel", `${jobs}`], { stdio: "inherit" });
}

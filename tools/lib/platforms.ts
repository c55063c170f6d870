/**
 * The packages with a prebuilt addon, one for each row of runtime/core/platforms.ts. Each contains one addon, which needs llama.cpp's
 * libraries: from a package of node-llama-cpp, or, where that has none, from the addon's own package.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import {
  backendFile,
  infixOf,
  linkedFiles,
  PLATFORMS,
  platformName,
  type Platform,
  type PlatformName,
} from "ggsl/core/platforms.js";
import { checkLlama, linkPackage, packageCache, unpackSource } from "../build-native.js";
import { definitionOf, exportsOf } from "./dllExports.js";
import { buildLlama } from "./llamaLibraries.js";
import { attempt, jobs, root, run, ToolError } from "./process.js";
import { compileRpc } from "./rpc.js";
import { fingerprint, once } from "./stamp.js";

/** How the addon of a platform is compiled. */
interface Toolchain {
  /** As CMake names the platform. */
  readonly system: "Linux" | "Darwin" | "Windows";
  readonly processor: string;
  /** The compiler on the platform itself. */
  readonly compiler: string;
  /** Debian's cross compiler, and its package; absent: the addon is built on the platform itself only. */
  readonly cross?: { readonly compiler: string; readonly package: string };
  /** The arguments of CMake that choose a generator. */
  readonly generator: readonly string[];
}

const MAKE = ["-G", "Unix Makefiles"];

const TOOLCHAINS: Readonly<Record<PlatformName, Toolchain>> = {
  "linux-x64": {
    system: "Linux",
    processor: "x86_64",
    compiler: "g++",
    generator: MAKE,
    cross: { compiler: "x86_64-linux-gnu-g++", package: "g++-x86-64-linux-gnu" },
  },
  "linux-arm64": {
    system: "Linux",
    processor: "aarch64",
    compiler: "g++",
    generator: MAKE,
    cross: { compiler: "aarch64-linux-gnu-g++", package: "g++-aarch64-linux-gnu" },
  },
  "linux-x64-musl": { system: "Linux", processor: "x86_64", compiler: "g++", generator: MAKE },
  "darwin-arm64": { system: "Darwin", processor: "arm64", compiler: "clang++", generator: MAKE },
  // clang-cl: GCC for Windows has another layout of C++ classes than llama.cpp's DLLs
  "win32-x64": {
    system: "Windows",
    processor: "AMD64",
    compiler: "clang-cl",
    generator: ["-G", "Visual Studio 17 2022", "-A", "x64", "-T", "ClangCL"],
  },
};

export const PLATFORM_NAMES = Object.keys(PLATFORMS) as PlatformName[];
export type { PlatformName };

export const isPlatform = (name: string): name is PlatformName => name in PLATFORMS;

/** The folder of a platform's package, which `buildPlatform` fills. */
export const platformFolder = (name: PlatformName): string => join(root, "build", "platforms", name);

/** The names of llama.cpp's prebuilt libraries for this machine. */
export const linkedHere = (): ReturnType<typeof linkedFiles> =>
  linkedFiles(PLATFORMS[platformName() as PlatformName], RELEASE.tag);

/** Whether it is the platform of this machine. */
export const isHere = (name: PlatformName): boolean => name === platformName();

/** Whether it can be built on another platform than itself. */
export const isCrossBuilt = (name: PlatformName): boolean => TOOLCHAINS[name].cross !== undefined;

const compilerOf = (name: PlatformName): string | undefined =>
  isHere(name) ? TOOLCHAINS[name].compiler : TOOLCHAINS[name].cross?.compiler;

/** Whether this machine has a compiler for the platform. */
export async function canBuild(name: PlatformName): Promise<boolean> {
  const compiler = compilerOf(name);
  return compiler !== undefined && (await attempt(compiler, ["--version"])).status === 0;
}

/** Whether the folder has the addon of this version, built elsewhere. */
export function isBuilt(name: PlatformName): boolean {
  const file = join(platformFolder(name), "package.json");
  if (!existsSync(file) || !existsSync(join(platformFolder(name), "ggsl.node"))) return false;
  return manifestVersion(file) === manifestVersion(join(root, "runtime", "package.json"));
}

const manifestVersion = (file: string): string =>
  (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;

/**
 * Builds a platform's addon, here or with Debian's cross compiler, and fills the folder of its package; does nothing if it is up to
 * date. Returns the folder. Throws a `ToolError` without a compiler.
 */
export async function buildPlatform(name: PlatformName): Promise<string> {
  const folder = platformFolder(name);
  const { libraries } = checkLlama(name);
  const inputs = ["native", "tools/build-native.ts", "tools/lib", "runtime/core/platforms.ts", "runtime/package.json"];
  const headers = HEADERS.map((header) => join("node_modules", header, "package.json"));
  const made = await once(
    {
      stampFile: `${folder}.stamp`,
      stamp: `${fingerprint([...inputs, "LICENSE", ...headers])} ${libraries}`,
      outputs: [join(folder, "ggsl.node"), join(folder, "package.json")],
    },
    async () => {
      if (!(await canBuild(name))) throw new ToolError(`build:platforms: ${name} needs ${neededFor(name)}`);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      // the addon of the checkout, which has prebuilt libraries there
      if (isHere(name) && isCrossBuilt(name)) await linkPackage();
      else await compileAddon(name, libraries);
      if (hasRpc(name)) await buildRpc(name, libraries, folder);
      if (PLATFORM_ROWS[name].llama === undefined)
        for (const file of readdirSync(libraries)) copyFileSync(join(libraries, file), join(folder, file));
      describe(name, folder);
    },
  );
  console.log(`build:platforms: ${made ? `built build/platforms/${name}` : `${name} is up to date`}`);
  return folder;
}

const RPC = backendFile("rpc", "linux");

/** Whether the package has ggml's RPC backend, for models on other machines. */
const hasRpc = isCrossBuilt;

async function buildRpc(name: PlatformName, libraries: string, folder: string): Promise<void> {
  await unpackSource();
  const source = join(root, "build", "llama.cpp");
  await compileRpc({ source, libraries, compiler: compilerOf(name)!, output: join(folder, RPC) });
}

/** The compiler of a platform, and how to get it. */
export function neededFor(name: PlatformName): string {
  const { compiler, cross } = TOOLCHAINS[name];
  if (!isHere(name) && cross === undefined) return "that platform: it is not cross-compiled";
  const debian = isHere(name) ? "g++" : cross!.package;
  return `${compilerOf(name) ?? compiler}: apt-get install ${debian} cmake make`;
}

const PLATFORM_ROWS: Readonly<Record<PlatformName, Platform>> = PLATFORMS;

const HEADERS = ["node-addon-api", "node-api-headers"];

async function compileAddon(name: PlatformName, libraries: string): Promise<void> {
  await unpackSource();
  if (PLATFORM_ROWS[name].llama === undefined) await buildLlama(libraries);
  const build = join(root, "build", `cmake-${name}`);
  const { generator } = TOOLCHAINS[name];
  const definitions = Object.entries(cacheOf(name, libraries, build)).map(([key, value]) => `-D${key}=${value}`);
  if (TOOLCHAINS[name].system === "Windows") writeDefinitions(name, libraries, join(build, "definitions"));
  console.log(`build:platforms: compiling the addon for ${name}`);
  await run("cmake", [...generator, "-S", join(root, "native"), "-B", build, ...definitions]);
  const target = ["--config", "Release", "--target", "ggsl_package"];
  await run("cmake", ["--build", build, "--parallel", `${jobs}`, ...target]);
}

/** What CMake is given for a platform. */
export function cacheOf(name: PlatformName, libraries: string, build: string): Readonly<Record<string, string>> {
  const { system, processor } = TOOLCHAINS[name];
  const compiler = compilerOf(name);
  const includes = [join("node_modules", "node-addon-api"), join("node_modules", "node-api-headers", "include")];
  return {
    CMAKE_BUILD_TYPE: "Release",
    // with a system's name CMake cross-compiles
    ...(!isHere(name) && { CMAKE_SYSTEM_NAME: system, CMAKE_SYSTEM_PROCESSOR: processor }),
    ...(system === "Darwin" && { CMAKE_OSX_DEPLOYMENT_TARGET: "13.3" }),
    // a generator of Visual Studio has its own compiler
    ...(system !== "Windows" && compiler !== undefined && { CMAKE_CXX_COMPILER: compiler }),
    ...(system === "Windows" && {
      LLAMA_DEFINITIONS: join(build, "definitions"),
      DELAY_LOAD_HOOK: join(root, "node_modules", "cmake-js", "lib", "cpp", "win_delay_load_hook.cc"),
    }),
    CMAKE_JS_INC: includes.map((path) => join(root, path)).join(";"),
    LLAMA_SOURCE: join(root, "build", "llama.cpp"),
    LLAMA_LIBRARIES: libraries,
    LLAMA_INFIX: infixOf(PLATFORM_ROWS[name], RELEASE.tag),
    GGSL_OUTPUT: join(build, "Release"),
    GGSL_PACKAGE_ONLY: "ON",
    ...packageCache(name),
  };
}

/** Writes NAME.def for the DLLs that the addon is linked with, and for Node-API. */
function writeDefinitions(name: PlatformName, libraries: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [short, file] of Object.entries(linkedFiles(PLATFORM_ROWS[name], RELEASE.tag)))
    writeFileSync(join(folder, `${short}.def`), definitionOf(file, exportsOf(readFileSync(join(libraries, file)))));
  copyFileSync(join(root, "node_modules", "node-api-headers", "def", "node_api.def"), join(folder, "node.def"));
}

/** Writes all files of the package but the addon. */
function describe(name: PlatformName, folder: string): void {
  const { os, cpu, libc, llama } = PLATFORM_ROWS[name];
  const { version, license, engines, repository } = JSON.parse(
    readFileSync(join(root, "runtime", "package.json"), "utf8"),
  ) as {
    version: string;
    license: string;
    engines: Record<string, string>;
    repository?: unknown;
  };
  const manifest = {
    name: `@ggsl/${name}`,
    version,
    description: `The native addon of ggsl for ${name}`,
    license,
    engines,
    main: "ggsl.node",
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    files: ["ggsl.node", ...(hasRpc(name) ? [RPC] : []), ...(llama === undefined ? ["*.so"] : [])],
    ...(llama !== undefined && { dependencies: { [`@node-llama-cpp/${llama}`]: RELEASE.package } }),
    ...(repository !== undefined && { repository }),
    // Yarn then keeps the addon out of archives
    preferUnplugged: true,
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(folder, "README.md"), readme(name));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

function readme(name: PlatformName): string {
  const { llama } = PLATFORM_ROWS[name];
  const where = llama === undefined ? "this package" : `the package \`@node-llama-cpp/${llama}\``;
  return `# @ggsl/${name}

The native addon of the package \`ggsl\` for ${name}: it runs chains and models with llama.cpp ${RELEASE.version}, whose libraries
are in ${where}. Installing \`ggsl\` installs all of it; there is nothing to import from here.
`;
}

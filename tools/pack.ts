/**
 * `npm run pack`: builds everything and writes a tarball of each published package into build/packages, and on Linux one of the C
 * library. What the packages install must run on the versions of Node.js that they promise (tools/lib/engines.ts). Addons for platforms
 * that cannot be built here are taken from build/platforms, where .github/workflows/release.yml puts them, or left out.
 *
 *     --here       only the platform of this machine, without cross compilers
 *     --no-llama   leaves the WebAssembly module with llama.cpp out, for a machine without emscripten
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { buildC, packC } from "./build-c.js";
import { compile } from "./build.js";
import { generate } from "./generate.js";
import { readArguments } from "./lib/arguments.js";
import { checkEngines, type LockedPackages } from "./lib/engines.js";
import { manifestOf, publicFolders, stage, type Additions } from "./lib/packages.js";
import { buildPlayground, LLAMA_MODULE } from "./lib/playground.js";
import { attempt, attemptTool, root, ToolError } from "./lib/process.js";
import {
  buildPlatform,
  canBuild,
  isBuilt,
  isHere,
  PLATFORM_NAMES,
  platformFolder,
  type PlatformName,
} from "./lib/platforms.js";
import { formatTable } from "ggsl/core/table.js";

const STAGED = join(root, "build", "pack");
const TARBALLS = join(root, "build", "packages");

interface Tarball {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

export async function main(args: readonly string[]): Promise<void> {
  const { values } = readArguments("npm run pack -- [--here] [--no-llama]", {
    args,
    options: { here: { type: "boolean", default: false }, "no-llama": { type: "boolean", default: false } },
  });
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: LockedPackages };
  checkEngines(lock.packages, publicFolders());
  await generate();
  await compile();
  if (!values["no-llama"]) await buildModule();
  const tarballs = await pack({ llama: !values["no-llama"], here: values.here });
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2);
  const rows = tarballs.map((t) => [t.filename, megabytes(t.size), megabytes(t.unpackedSize), `${t.files.length}`]);
  console.log(formatTable(["build/packages", "MB", "unpacked", "files"], rows));
  if (process.platform !== "linux") return;
  await buildC();
  console.log(relative(root, packC(TARBALLS)));
}

/** Writes the tarballs of what is built. */
async function pack({ llama, here }: { llama: boolean; here: boolean }): Promise<Tarball[]> {
  rmSync(TARBALLS, { recursive: true, force: true });
  mkdirSync(TARBALLS, { recursive: true });
  const addons: PlatformName[] = [];
  for (const platform of PLATFORM_NAMES)
    if (here && !isHere(platform)) continue;
    else if (await canBuild(platform)) addons.push((await buildPlatform(platform), platform));
    else if (isBuilt(platform)) addons.push(platform);
    else console.log(`pack: @ggsl/${platform} is left out: it is not in build/platforms, and cannot be built here`);
  const additions: Readonly<Record<string, Additions>> = {
    runtime: additionsOfRuntime(llama, addons),
    server: additionsOfServer(await buildPlayground()),
  };
  const staged = publicFolders().map((folder) => {
    const to = join(STAGED, folder);
    stage(folder, to, additions[folder] ?? {});
    return to;
  });
  const folders = [...staged, ...addons.map(platformFolder)];
  const options = ["--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", TARBALLS];
  // not "both streams": npm prints warnings on the other one
  const { status, output } = await attempt("npm", ["pack", ...options, ...folders], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new ToolError(`pack: npm pack failed\n${output}`);
  return tarballsOf(JSON.parse(output) as Tarball[] | Record<string, Tarball>);
}

/** npm 11 prints a list, npm 12 an object by name. */
const tarballsOf = (printed: Tarball[] | Record<string, Tarball>): Tarball[] => Object.values(printed);

/** Builds the WebAssembly module with llama.cpp, unless it is up to date. */
async function buildModule(): Promise<void> {
  const { status, output } = await attemptTool("build-wasm", ["--llama"]);
  if (status !== 0) throw new ToolError(`${output.trimEnd()}\nWithout the module: npm run pack -- --no-llama`);
}

/** The playground, without its own model and the module that runs it: its texts come from the server. */
function additionsOfServer(site: string): Additions {
  const folder = relative(root, site);
  const paths = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.gguf$|^ggsl-llama-/.test(entry.name))
    .map((entry) => relative(site, join(entry.parentPath, entry.name)));
  return { files: Object.fromEntries(paths.map((path) => [join("site", path), join(folder, path)])) };
}

/** @param addons only platforms whose packages are published with this one */
function additionsOfRuntime(llama: boolean, addons: readonly PlatformName[]): Additions {
  const { version } = manifestOf("runtime");
  const model = {
    "model/demo-q8_0.gguf": join("examples", "model", "demo-q8_0.gguf"),
    "model/README.md": join("examples", "model", "README.md"),
  };
  return {
    files: { ...model, ...(llama && { "dist/wasm/ggsl-llama.wasm": LLAMA_MODULE }) },
    // not in the workspace, because npm would look for them in the registry
    manifest: {
      optionalDependencies: Object.fromEntries(addons.map((platform) => [`@ggsl/${platform}`, version])),
    },
  };
}

/**
 * Files of the package in Node.js. The code runs from its sources, from dist/, or in a program's bundle (as an ECMAScript module,
 * or as CommonJS without `import.meta`). A bundle finds files next to itself, else in the installed package.
 */
import { nodeModule } from "./node.js";
import { platformHere, platformName } from "./platforms.js";

const fs = nodeModule("node:fs")!;
const path = nodeModule("node:path")!;

/** Only CommonJS has it. */
declare const __filename: string | undefined;

/** The file with this code. */
function thisFile(): string {
  const url = import.meta.url as string | undefined;
  if (url?.startsWith("file:")) return nodeModule("node:url")!.fileURLToPath(url);
  return typeof __filename === "string" ? __filename : atWork();
}

/** A file in the folder from which the program was started. */
const atWork = (): string => path.join(process.cwd(), "index.js");

interface Home {
  /** The folder with the package's package.json; undefined for a bundle without the package. */
  readonly root: string | undefined;
  /** Where to look for the package's files: the folder of its sources or of their compiled form, or the folder of a bundle. */
  readonly folders: readonly string[];
  /** Whether the package is in a checkout of the project. */
  readonly isCheckout: boolean;
}

let found: Home | undefined;

const home = (): Home => (found ??= findHome());

function findHome(): Home {
  const file = thisFile();
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    if (isPackage(folder)) {
      const [top] = path.relative(folder, file).split(path.sep);
      return { ...packageAt(folder), folders: [top === "dist" ? path.join(folder, "dist") : folder] };
    }
    if (folder === path.dirname(folder)) break;
  }
  const root = searched([file])
    .map((modules) => path.join(modules, "ggsl"))
    .find(isPackage);
  const beside = path.dirname(file);
  if (root === undefined) return { root, folders: [beside], isCheckout: false };
  // npm and pnpm link to packages; their dependencies are next to the real folder
  const real = fs.realpathSync(root);
  return { ...packageAt(real), folders: [beside, path.join(real, "dist")] };
}

const packageAt = (root: string) => ({ root, isCheckout: fs.existsSync(path.join(root, "..", "tools", "run.mjs")) });

function isPackage(folder: string): boolean {
  const file = path.join(folder, "package.json");
  return fs.existsSync(file) && (JSON.parse(fs.readFileSync(file, "utf8")) as { name?: string }).name === "ggsl";
}

/** The folders node_modules that Node.js searches for packages from these files, and from the folder of the process. */
const searched = (files: readonly string[]): string[] => [
  ...new Set(
    [...files, atWork()].flatMap((file) => nodeModule("node:module")!.createRequire(file).resolve.paths("x")!),
  ),
];

/** The folder of an installed package, wherever the package manager put it; undefined if it is not installed. */
export function installedFolder(name: string): string | undefined {
  const { root } = home();
  const from = [...(root === undefined ? [] : [path.join(root, "package.json")]), thisFile()];
  return searched(from)
    .map((modules) => path.join(modules, name))
    .find((folder) => fs.existsSync(path.join(folder, "package.json")));
}

/** Whether the code runs in a checkout of the project, where everything can be built; never in a browser. */
export const isCheckout = (): boolean => nodeModule("node:fs") !== undefined && home().isCheckout;

/** The folder and the version of the package; undefined in a browser, and for a bundle without the package. */
export function packageHere(): { readonly folder: string; readonly version: string } | undefined {
  const folder = nodeModule("node:fs") && home().root;
  if (folder === undefined) return undefined;
  const manifest = fs.readFileSync(path.join(folder, "package.json"), "utf8");
  return { folder, version: (JSON.parse(manifest) as { version: string }).version };
}

/** The path of a file of the package, by its path in the sources; a bundle may have it next to itself. The file may be missing. */
function packageFile(name: string): string {
  const [first, ...others] = home().folders.flatMap((folder) => [
    path.join(folder, name),
    path.join(folder, path.basename(name)),
  ]);
  return [first!, ...others].find((file) => fs.existsSync(file)) ?? first!;
}

/** The build folder of a checkout; undefined elsewhere. */
export const buildFolder = (): string | undefined =>
  home().isCheckout ? path.join(home().root!, "..", "build") : undefined;

/** The path of a file that was built in the checkout; undefined if it was not. */
function built(...names: string[]): string | undefined {
  const folder = buildFolder();
  const file = folder && path.join(folder, ...names);
  return file !== undefined && fs.existsSync(file) ? file : undefined;
}

/** The package with this platform's addon; not every platform has one. */
export const addonPackage = (): string => `@ggsl/${platformName()}`;

/** Whether another program carries the package, such as an editor's extension: nothing can be installed beside it. */
export function isCarried(): boolean {
  const { root } = home();
  if (root === undefined) return false;
  return (
    (JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as { carried?: boolean }).carried === true
  );
}

/** Whether this version of the package was published together with an addon for this platform. */
export function isAddonPublished(): boolean {
  const { root, isCheckout } = home();
  if (isCheckout || root === undefined) return platformHere() !== undefined;
  const { optionalDependencies: published } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
    optionalDependencies?: Readonly<Record<string, string>>;
  };
  return published === undefined ? platformHere() !== undefined : published[addonPackage()] !== undefined;
}

/** The addon that the environment variable GGSL_ADDON names, e.g. one with sanitizers, or next to a bundle. */
export function givenAddon(): string | undefined {
  const given = process.env["GGSL_ADDON"];
  return given ? path.resolve(given) : undefined;
}

/**
 * The path of the native addon: the given one, the checkout's, one next to a bundle, or that of the platform's package, even without
 * the file.
 */
export function addonPath(): string | undefined {
  const here = givenAddon() ?? built("Release", "ggsl.node");
  if (here !== undefined) return here;
  const beside = path.join(home().folders[0]!, "ggsl.node");
  if (fs.existsSync(beside)) return beside;
  const installed = installedFolder(addonPackage());
  return installed && path.join(fs.realpathSync(installed), "ggsl.node");
}

/** The path of the WebAssembly module for chains on plain logits. */
export const wasmModulePath = (): string => packageFile("wasm/ggsl.wasm");

/** The path of the WebAssembly module with llama.cpp: the checkout's build, which may be missing, or the package's. */
export const llamaModulePath = (): string =>
  home().isCheckout
    ? path.join(buildFolder()!, "wasm-llama", "out", "ggsl-llama.wasm")
    : packageFile("wasm/ggsl-llama.wasm");

/** The path of the demo model; undefined in a bundle without the package. */
export function demoModelPath(): string | undefined {
  const { root, isCheckout } = home();
  const file = path.join("model", "demo-q8_0.gguf");
  return root && (isCheckout ? path.join(root, "..", "examples", file) : path.join(root, file));
}

/** Files that threads and processes run. `npm run generate` writes them, so that sources, builds and bundles start the same. */
export const grammarWorkerPath = (): string => packageFile("grammars/threads/grammarWorker.mjs");
/** It has a model on workers. */
export const remotePath = (): string => packageFile("backends/remote/remoteChild.mjs");
/** It tries a driver. */
export const deviceProbePath = (): string => packageFile("backends/devices/driverChild.mjs");
/** It tries a model file. */
export const modelProbePath = (): string => packageFile("models/modelChild.mjs");
/** It renders conversations. */
export const chatWorkerPath = (): string => packageFile("chat/chatWorker.mjs");

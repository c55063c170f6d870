/** The package's own folder, in Node.js. */
import { nodeModule } from "./node.js";

const fs = nodeModule("node:fs")!;
const path = nodeModule("node:path")!;
const here = (): string => path.dirname(nodeModule("node:url")!.fileURLToPath(import.meta.url));

/** The folder with package.json above this file: sources and dist/ are at different depths. */
export function packageRoot(): string {
  let folder = here();
  while (!isPackage(folder)) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error("the root of the package was not found: run npm run setup in its folder");
    folder = parent;
  }
  return folder;
}

function isPackage(folder: string): boolean {
  const file = path.join(folder, "package.json");
  return fs.existsSync(file) && (JSON.parse(fs.readFileSync(file, "utf8")) as { name?: string }).name === "ggsl";
}

/** The build folder of a checkout, outside its packages. */
export const buildFolder = (): string => path.join(packageRoot(), "..", "build");

/** The path of the native addon, which may not be built. The environment variable GGSL_ADDON names another build, e.g. with sanitizers. */
export const addonPath = (): string =>
  path.resolve(process.env["GGSL_ADDON"] || path.join(buildFolder(), "Release", "ggsl.node"));

/** The path of the WebAssembly module with llama.cpp, which may not be built. */
export const llamaModulePath = (): string => path.join(buildFolder(), "wasm-llama", "out", "ggsl-llama.wasm");

/** The path of the thread of the grammars, which `npm run generate` writes. */
export function grammarWorkerPath(): string {
  const folder = packageRoot();
  const [top] = path.relative(folder, here()).split(path.sep);
  return path.join(folder, ...(top === "dist" ? ["dist"] : []), "grammars", "xgrammar", "worker.mjs");
}

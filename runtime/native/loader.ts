/** Finds and loads the addon, and checks that it fits this code. An error is a to-do list. */
import { OP_NAMES } from "../../compiler/graph/ops.js";
import { WIRE_VERSION } from "../../compiler/graph/wire.js";
import { nodeModule } from "../node.js";
import type { Binding } from "./binding.js";

// A browser has none of these, and gets no further than to ask whether the addon is there.
const fs = nodeModule("node:fs")!;
const path = nodeModule("node:path")!;
const isNode = nodeModule("node:module") !== undefined;

/** The llama.cpp release whose sampler hook the addon is written for. */
const LLAMA_VERSION = "0.5.0";

let loaded: Binding | undefined;

/** The native runtime, with the CPU's devices. Throws an Error that says how to get there. */
export function loadBinding(): Binding {
  loaded ??= load();
  return loaded;
}

function load(): Binding {
  if (!isNode) throw new Error("The native runtime is not available: it needs Node.js.");
  const root = packageRoot();
  const require = nodeModule("node:module")!.createRequire(path.join(root, "package.json"));
  const addon = path.join(root, "build", "Release", "ggsl.node");
  if (!fs.existsSync(addon)) {
    throw unavailable(`expected ${addon}, found no such file`, [
      "apt-get install g++ cmake make git   # once, as root",
      "npm run setup",
      "npm run build:native",
    ]);
  }
  let binding: Binding;
  try {
    binding = require(addon) as Binding;
  } catch (error) {
    throw unavailable(`${addon} does not load: ${(error as Error).message}`, REBUILD);
  }
  checkAddon(binding);
  binding.loadBackends(librariesFolder(require));
  return binding;
}

const REBUILD = ["npm run setup", "npm run build:native -- --force"];

/** The folder with package.json above this file: sources and dist/ lie at different depths. */
function packageRoot(): string {
  let folder = path.dirname(nodeModule("node:url")!.fileURLToPath(import.meta.url));
  while (!isPackage(folder)) {
    const parent = path.dirname(folder);
    if (parent === folder) throw unavailable("the package's root was not found", ["npm run setup"]);
    folder = parent;
  }
  return folder;
}

function isPackage(folder: string): boolean {
  const file = path.join(folder, "package.json");
  return fs.existsSync(file) && (JSON.parse(fs.readFileSync(file, "utf8")) as { name?: string }).name === "ggsl";
}

/** Both op tables number the same ops; otherwise graphs would mean something else on the other side. */
function checkAddon(binding: Binding): void {
  if (!binding.llamaVersion.startsWith(LLAMA_VERSION)) {
    throw unavailable(`the addon runs llama.cpp ${binding.llamaVersion}, expected ${LLAMA_VERSION}`, REBUILD);
  }
  if (binding.wireVersion !== WIRE_VERSION) {
    throw unavailable(`the addon reads wire version ${binding.wireVersion}, expected ${WIRE_VERSION}`, REBUILD);
  }
  const names = binding.opNames();
  for (let i = 0; i < Math.max(names.length, OP_NAMES.length); i++) {
    if (names[i] !== OP_NAMES[i]) {
      throw unavailable(`op ${i} is ${names[i] ?? "absent"} in the addon, expected ${OP_NAMES[i] ?? "none"}`, REBUILD);
    }
  }
}

/** Where ggml's CPU backends lie: the platform package of node-llama-cpp, wherever npm has put it. */
function librariesFolder(require: NodeJS.Require): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@node-llama-cpp/${platform}`;
  const folders = (require.resolve.paths(name) ?? []).map((folder) => path.join(folder, name, "bins", platform));
  const found = folders.find((folder) => fs.existsSync(folder));
  if (found === undefined) throw unavailable(`${name} is not installed`, ["npm run setup"]);
  return found;
}

function unavailable(reason: string, commands: readonly string[]): Error {
  const steps = commands.map((command, i) => `  ${i + 1}. ${command}`).join("\n");
  return new Error(`The native runtime is not available: ${reason}.\nTo mend it:\n${steps}`);
}

/** Whether the addon was built. One that was built and does not load is an error, not a reason to do without. */
export const isNativeThere = (): boolean =>
  isNode && fs.existsSync(path.join(packageRoot(), "build", "Release", "ggsl.node"));

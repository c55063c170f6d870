/** Finds and loads the addon, and checks that it matches this code. Errors list the steps that fix them. */
import { OP_NAMES } from "@ggsl/compiler/graph/ops.js";
import { WIRE_VERSION } from "@ggsl/compiler/graph/wire.js";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import { cpuLibraries } from "../devices/locate.js";
import { nodeModule } from "../node.js";
import { addonPath, packageRoot } from "../root.js";
import type { Binding } from "./binding.js";

// In a browser these are undefined, and only `isNativeThere` is called.
const fs = nodeModule("node:fs")!;
const path = nodeModule("node:path")!;
const isNode = nodeModule("node:module") !== undefined;

let loaded: Binding | undefined;

/** The native runtime, with the CPU's devices. Throws an Error that says how to install it. */
export function loadBinding(): Binding {
  loaded ??= load();
  return loaded;
}

function load(): Binding {
  if (!isNode) throw new Error("The native runtime is not available: it needs Node.js.");
  const require = nodeModule("node:module")!.createRequire(path.join(packageRoot(), "package.json"));
  const addon = addonPath();
  if (!fs.existsSync(addon)) {
    throw unavailable(`${addon} does not exist`, [
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
  const libraries = cpuLibraries();
  if (libraries === undefined)
    throw unavailable(`@node-llama-cpp/${process.platform}-${process.arch} is not installed`, ["npm run setup"]);
  binding.loadBackends(libraries);
  return binding;
}

const REBUILD = ["npm run setup", "npm run build:native -- --force"];

/** Both op tables must list the same ops in the same order, because the wire form uses indices. */
function checkAddon(binding: Binding): void {
  if (!binding.llamaVersion.startsWith(RELEASE.version)) {
    throw unavailable(`the addon runs llama.cpp ${binding.llamaVersion}, expected ${RELEASE.version}`, REBUILD);
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

function unavailable(reason: string, commands: readonly string[]): Error {
  const steps = commands.map((command, i) => `  ${i + 1}. ${command}`).join("\n");
  return new Error(`The native runtime is not available: ${reason}.\nTo fix it:\n${steps}`);
}

/** Whether the addon was built. An addon that was built but does not load is an error, not a reason for a fallback. */
export const isNativeThere = (): boolean => isNode && fs.existsSync(addonPath());

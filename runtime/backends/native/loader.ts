/** Finds and loads the addon, and checks that it matches this code. Errors list the steps that fix them. */
import { OP_NAMES } from "@ggsl/compiler/graph/ops.js";
import { WIRE_VERSION } from "@ggsl/compiler/graph/wire.js";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import { InputError } from "../../core/errors.js";
import { addonSteps, llamaPackage, platformFault } from "../../core/fixes.js";
import { nodeModule } from "../../core/node.js";
import { platformHere } from "../../core/platforms.js";
import { addonPackage, addonPath, givenAddon, installedFolder, isCheckout } from "../../core/root.js";
import type { Binding, NativeError } from "./binding.js";

// In a browser it is undefined, and only `isNativeThere` and `hasNative` are called.
const isNode = nodeModule("node:module") !== undefined;

/** The addon, or why there is none that can be loaded. */
type Loaded = { readonly binding: Binding } | { readonly reason: string };

let loaded: Loaded | undefined;

/** The native runtime, with the CPU's devices. Throws an `InputError` (NATIVE_UNAVAILABLE) that says how to install it. */
export function loadBinding(): Binding {
  const result = tryLoad();
  if ("reason" in result) throw unavailable(result.reason);
  return result.binding;
}

/**
 * Whether there is an addon that can be loaded. Throws for one that was given by GGSL_ADDON and does not load, and for one that loads
 * and does not match this code: these are no reasons to use something else.
 */
export const isNativeThere = (): boolean => isNode && "binding" in tryLoad();

/** Why the native runtime is not there, with the steps that fix it. */
export function nativeFault(): string {
  const result = tryLoad();
  return "reason" in result ? unavailable(result.reason).message : "";
}

let isSaid = false;

/**
 * Like `isNativeThere`. Says once on standard error why there is none, and what happens instead.
 * @param instead e.g. "models run in WebAssembly, which is slower"
 */
export function hasNative(instead: string): boolean {
  if (!isNode) return false;
  const result = tryLoad();
  if ("binding" in result) return true;
  if (!isSaid) process.stderr.write(`ggsl: no native addon: ${result.reason}; ${instead}. ${shortFix()}\n`);
  isSaid = true;
  return false;
}

const shortFix = (): string =>
  platformFault() === undefined
    ? `To fix it: ${addonSteps()
        .filter((step) => !step.startsWith("apt-get"))
        .join(" && ")}`
    : "The backend `wasm` does the same without this line";

function tryLoad(): Loaded {
  return (loaded ??= load());
}

function load(): Loaded {
  if (!isNode) return { reason: "it needs Node.js" };
  const addon = addonPath();
  if (addon === undefined) {
    const missing = isCheckout() ? "it is not built" : `${addonPackage()} is not installed`;
    return { reason: platformFault() ?? missing };
  }
  if (givenAddon() === undefined && !nodeModule("node:fs")!.existsSync(addon))
    return { reason: `${addonPackage()} has no ggsl.node` };
  const binding = open(addon);
  if (typeof binding === "string") {
    if (givenAddon() !== undefined) throw unavailable(`GGSL_ADDON: ${binding}`);
    return { reason: binding };
  }
  checkAddon(binding);
  try {
    binding.loadBackends(binding.libraries);
  } catch (error) {
    const { code, message } = error as NativeError;
    if (code === "NO_DEVICE") return { reason: message };
    throw error;
  }
  return { binding };
}

/** The addon, or why it does not load, in one line. */
function open(addon: string): Binding | string {
  try {
    return withLibraries(addon, () => nodeModule("node:module")!.createRequire(addon)(addon) as Binding);
  } catch (error) {
    const text = (error as Error).message.split("\n")[0]!;
    // what glibc reports for a file of another architecture
    if (text.startsWith(`${addon}: cannot open shared object`) && nodeModule("node:fs")!.existsSync(addon))
      return `${addon} is for another architecture than ${process.arch}`;
    return text.includes(addon) ? text : `${addon}: ${text}`;
  }
}

/**
 * While Windows loads the addon, PATH begins with the folders of llama.cpp's libraries: a DLL has no list of places where the DLLs are
 * that it needs, as libraries have elsewhere.
 */
function withLibraries<T>(addon: string, load: () => T): T {
  if (process.platform !== "win32") return load();
  const path = nodeModule("node:path")!;
  const { llama } = platformHere() ?? {};
  const installed = llama === undefined ? undefined : installedFolder(llamaPackage(llama));
  const folders = [path.dirname(addon), ...(installed === undefined ? [] : [path.join(installed, "bins", llama!)])];
  const before = process.env["PATH"] ?? "";
  process.env["PATH"] = [...folders, before].join(path.delimiter);
  try {
    return load();
  } finally {
    process.env["PATH"] = before;
  }
}

/** Both op tables must list the same ops in the same order, because the wire form uses indices. */
function checkAddon(binding: Binding): void {
  if (typeof binding.llamaVersion !== "string") throw unavailable("the file that GGSL_ADDON names is not an addon");
  if (!binding.llamaVersion.startsWith(RELEASE.version)) {
    throw unavailable(`the addon runs llama.cpp ${binding.llamaVersion}, expected ${RELEASE.version}`);
  }
  if (binding.wireVersion !== WIRE_VERSION) {
    throw unavailable(`the addon reads wire version ${binding.wireVersion}, expected ${WIRE_VERSION}`);
  }
  const names = binding.opNames();
  for (let i = 0; i < Math.max(names.length, OP_NAMES.length); i++) {
    if (names[i] !== OP_NAMES[i]) {
      throw unavailable(`op ${i} is ${names[i] ?? "absent"} in the addon, expected ${OP_NAMES[i] ?? "none"}`);
    }
  }
}

function unavailable(reason: string): InputError {
  const steps = addonSteps().map((command, i) => `  ${i + 1}. ${command}`);
  return new InputError(`The native runtime is not available: ${reason}.\nTo fix it:\n${steps.join("\n")}`, {
    code: "NATIVE_UNAVAILABLE",
  });
}

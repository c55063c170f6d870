/** Commands that install or build what is missing: npm scripts in a checkout of the project, packages elsewhere. */
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import { nodeModule } from "./node.js";
import { platformHere, platformName } from "./platforms.js";
import { addonPackage, installedFolder, isAddonPublished, isCarried, isCheckout, packageHere } from "./root.js";

/** One of node-llama-cpp's packages with libraries. */
export const llamaPackage = (name: string): string => `@node-llama-cpp/${name}`;

/** Why there can be no addon; undefined on a platform that has one. */
export const platformFault = (): string | undefined =>
  isAddonPublished() ? undefined : `there is none for ${platformName()}`;

/** The steps to get an addon that works. */
export function addonSteps(): string[] {
  if (platformFault() !== undefined) return ["use the backend `wasm`, or `auto`"];
  if (isCheckout())
    return ["apt-get install g++ cmake make git   # once, as root", "npm run setup", "npm run build:native -- --force"];
  // in a project, whose own command is used then
  if (isCarried()) return ["npm install ggsl"];
  const { llama } = platformHere() ?? {};
  const addon = installedFolder(addonPackage());
  if (addon === undefined) return [install(addonPackage(), packageHere()?.version)];
  if (llama === undefined) return [`rm -rf ${addon}`, "npm install"];
  const libraries = installedFolder(llamaPackage(llama));
  if (libraries === undefined) return [installLlama(llama)];
  return [`rm -rf ${addon} ${libraries}`, "npm install"];
}

/** The command that installs a package of llama.cpp's libraries. */
export const installLlama = (name: string): string => install(llamaPackage(name), RELEASE.package);

/** How to get a WebAssembly module, by its name in the package. */
export function moduleFix(file: "ggsl.wasm" | "ggsl-llama.wasm"): string {
  if (isCheckout()) return `To build it: npm run build:wasm${file === "ggsl.wasm" ? "" : " -- --llama"}`;
  const here = packageHere();
  if (here === undefined)
    return `It is dist/wasm/${file} of the package ggsl${nodeModule("node:fs") ? ": install the package, or copy the file next to the program" : ""}`;
  return `To install it again: rm -rf ${here.folder} && npm install`;
}

/** With the package manager that installed this package. */
function install(name: string, version?: string): string {
  const isPnpm = /[\\/]\.pnpm[\\/]/.test(packageHere()?.folder ?? "");
  return `${isPnpm ? "pnpm add" : "npm install"} ${name}${version === undefined ? "" : `@${version}`}`;
}

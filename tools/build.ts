/** `npm run build`: generated sources, and all TypeScript compiled into the `dist/` folders of the packages. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { generate } from "./generate.js";
import { fillDist } from "./lib/dist.js";
import { root, run } from "./lib/process.js";
import { fingerprint, once } from "./lib/stamp.js";

/** The inputs of `tsc -p tsconfig.build.json` and tools/lib/dist.ts. */
const SOURCES = [
  ...["compiler", "format", "settings", "codegen", "runtime", "lsp", "vite", "server", "cli", "bench"],
  "tsconfig.json",
  "tsconfig.build.json",
  "tools/lib/dist.ts",
  "tools/lib/vendor.ts",
  "package-lock.json",
];
const isSource = (path: string): boolean =>
  /\.(ts|mjs|mts|json|wasm)$/.test(path) && !path.endsWith(".test.ts") && !path.split("/").includes("dist");

export async function main(): Promise<void> {
  await generate();
  await compile();
}

/** Compiles all packages, unless they are up to date. */
export async function compile(): Promise<void> {
  const compiled = join(root, "build", "js");
  const stamp = fingerprint(SOURCES, isSource);
  const outputs = [join(root, "runtime", "dist", "cli", "main.js")];
  await once({ stampFile: join(compiled, ".ggsl-stamp"), stamp, outputs }, async () => {
    console.log("setup: compiling TypeScript");
    rmSync(compiled, { recursive: true, force: true });
    const tsc = ["node_modules/typescript-7/bin/tsc", "-p", "tsconfig.build.json"];
    await run(process.execPath, tsc, { what: "setup: compiling TypeScript" });
    await fillDist();
  });
}

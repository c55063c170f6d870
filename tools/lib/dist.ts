/**
 * Fills the `dist/` folder of each package with the output of `tsc -p tsconfig.build.json` in build/js. Bundles the CLI into the
 * package ggsl, runtime/dist/cli/main.js with chunks that only some commands need, because Node.js takes longer to find and load
 * hundreds of modules than to check a program.
 */
import { chmodSync, copyFileSync, cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { root } from "./process.js";

const compiled = join(root, "build", "js");
const folder = join(root, "runtime/dist/cli");
/** Bundled, because every command needs them; other packages stay external. */
const BUNDLED = ["commander", "ohm-js"];

/** The bundle uses the library's copy of the WebAssembly module. */
const moduleOfLibrary: Plugin = {
  name: "module-of-library",
  setup: (bundle) =>
    bundle.onLoad({ filter: /runtime[\\/]wasm[\\/]loader\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents = text.replace('"./ggsl.wasm"', '"../wasm/ggsl.wasm"');
      if (contents === text) throw new Error(`${path} does not name the WebAssembly module as it did`);
      return { contents, loader: "ts" };
    }),
};

/** The bundle does without it: in Node.js it is in a thread of its own. */
const grammarLibrary: Plugin = {
  name: "grammar-library",
  setup: (bundle) =>
    bundle.onResolve({ filter: /^\.\/library\.mjs$/ }, () => ({
      path: "../grammars/xgrammar/library.mjs",
      external: true,
    })),
};

const GRAMMARS = "grammars/xgrammar";

export async function fillDist(): Promise<void> {
  for (const name of readdirSync(compiled)) {
    const target = join(root, name, "dist");
    rmSync(target, { recursive: true, force: true });
    cpSync(join(compiled, name), target, { recursive: true });
  }
  await build({
    ...{ absWorkingDir: root, entryPoints: ["cli/main.ts"], outdir: folder, external: externals() },
    ...{ bundle: true, splitting: true, format: "esm", platform: "node", target: "node20", logLevel: "warning" },
    // bundles this project's packages from their sources
    conditions: ["@ggsl/source"],
    // for packages that are not ECMAScript modules
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    plugins: [moduleOfLibrary, grammarLibrary],
  });
  writeFileSync(join(folder, "LICENSES.txt"), BUNDLED.map(licenseOf).join("\n"));
  copyFileSync(join(root, "runtime/wasm/ggsl.wasm"), join(root, "runtime/dist/wasm/ggsl.wasm"));
  for (const name of ["library.mjs", "worker.mjs", "library.d.mts", "LICENSE.txt"])
    copyFileSync(join(root, "runtime", GRAMMARS, name), join(root, "runtime/dist", GRAMMARS, name));
  // `npx ggsl` starts it as a program
  chmodSync(join(folder, "main.js"), 0o755);
}

/** Dependencies of the package ggsl, except the packages of this project, which are bundled. */
function externals(): string[] {
  const text = readFileSync(join(root, "runtime", "package.json"), "utf8");
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return Object.keys(dependencies).filter((name) => !name.startsWith("@ggsl/"));
}

function licenseOf(name: string): string {
  const from = join(root, "node_modules", name);
  const file = readdirSync(from).find((entry) => /^licen[cs]e/i.test(entry))!;
  return `${name}\n\n${readFileSync(join(from, file), "utf8")}`;
}

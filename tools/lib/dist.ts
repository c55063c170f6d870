/**
 * Fills the `dist/` folder of each package with the output of `tsc -p tsconfig.build.json` in build/js. Bundles the CLI into the
 * package ggsl, runtime/dist/cli/main.js with chunks that only some commands need, because Node.js takes longer to find and load
 * hundreds of modules than to check a program.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { manifestOf, publicFolders } from "./packages.js";
import { root } from "./process.js";
import { STARTED_PATHS } from "./startedFiles.js";
import { licenses, vendor } from "./vendor.js";

const compiled = join(root, "build", "js");
const folder = join(root, "runtime/dist/cli");

/** For packages in a bundle that are not ECMAScript modules. */
export const REQUIRE = {
  js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
};

export async function fillDist(): Promise<void> {
  for (const name of readdirSync(compiled)) {
    const target = join(root, name, "dist");
    rmSync(target, { recursive: true, force: true });
    cpSync(join(compiled, name), target, { recursive: true });
    referToDisposable(target);
  }
  for (const workspace of publicFolders()) await vendor(workspace);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["cli/start.ts"],
    entryNames: "main",
    outdir: folder,
    external: externals(),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "warning",
    // Loading takes time by the character. Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    metafile: true,
    // bundles this project's packages from their sources
    conditions: ["@ggsl/source"],
    banner: REQUIRE,
  });
  writeFileSync(join(folder, "LICENSES.txt"), licenses(packagesIn(metafile)));
  mkdirSync(join(root, "runtime/dist/wasm"), { recursive: true });
  copyFileSync(join(root, "runtime/wasm/ggsl.wasm"), join(root, "runtime/dist/wasm/ggsl.wasm"));
  for (const path of STARTED_PATHS) copyFileSync(join(root, "runtime", path), join(root, "runtime/dist", path));
  // `npx ggsl` starts it as a program
  chmodSync(join(folder, "main.js"), 0o755);
  linkCommand();
}

/** Lets declarations that use `Disposable` work in projects whose `lib` does not contain it. */
function referToDisposable(dist: string): void {
  for (const path of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".d.ts")) continue;
    const text = readFileSync(join(dist, path), "utf8");
    if (/\bDisposable\b|Symbol\.dispose\b/.test(text))
      writeFileSync(join(dist, path), `/// <reference lib="esnext.disposable" />\n${text}`);
  }
}

/**
 * Dependencies of the package ggsl, except the packages of this project, which are bundled; and the server, which is installed by those who
 * want it.
 */
function externals(): string[] {
  const { dependencies = {}, peerDependencies = {} } = manifestOf("runtime");
  return [...Object.keys(dependencies).filter((name) => !name.startsWith("@ggsl/")), ...Object.keys(peerDependencies)];
}

/** The folders of the packages that a bundle contains, without those of this project. */
function packagesIn({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** npm links the command of a workspace only if it is there when packages are installed. */
function linkCommand(): void {
  const link = join(root, "node_modules", ".bin", "ggsl");
  if (!existsSync(link)) symlinkSync(join("..", "ggsl", "dist", "cli", "main.js"), link);
}

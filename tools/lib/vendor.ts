/**
 * Bundles libraries into the packages that use a small part of them: what a package lists under `devDependencies`. Each becomes
 * one file in `dist/vendor/`, with its types and its licence, and the package's modules import that file instead.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { manifestOf } from "./packages.js";
import { root } from "./process.js";

/** The types of a bundled module. */
const TYPES: Readonly<Record<string, string>> = {
  "ohm-js": "ohm-js/index.d.ts",
  "prettier/doc": "prettier/doc.d.ts",
  re2js: "re2js/build/index.d.ts",
};

/** Rewrites the imports of bundled libraries in a package's `dist/` folder. */
export async function vendor(workspace: string): Promise<void> {
  const names = Object.keys(manifestOf(workspace).devDependencies ?? {}).filter((name) => !name.startsWith("@types/"));
  if (names.length === 0) return;
  const dist = join(root, workspace, "dist");
  const folder = join(dist, "vendor");
  const imported = new RegExp(`(from |import\\()"((?:${names.join("|")})(?:/[^"]*)?)"`, "g");
  const [code, types] = [new Set<string>(), new Set<string>()];
  for (const path of filesOf(dist)) {
    const text = readFileSync(path, "utf8");
    const rewritten = text.replace(imported, (_, before: string, module: string) => {
      (path.endsWith(".d.ts") ? types : code).add(module);
      return `${before}"${relative(dirname(path), join(folder, fileOf(module))).replace(/^(?!\.)/, "./")}.js"`;
    });
    if (rewritten !== text) writeFileSync(path, rewritten);
  }
  mkdirSync(folder, { recursive: true });
  for (const module of types)
    copyFileSync(join(root, "node_modules", TYPES[module]!), join(folder, `${fileOf(module)}.d.ts`));
  await build({
    entryPoints: Object.fromEntries([...code].map((module) => [fileOf(module), module])),
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "warning",
  });
  writeFileSync(join(folder, "LICENSES.txt"), licenses(names.map((name) => join("node_modules", name))));
}

const fileOf = (module: string): string => module.replaceAll("/", "-");

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(js|d\.ts)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

/** The licences of packages in the given folders. */
export const licenses = (folders: readonly string[]): string => folders.map(licenseOf).join("\n");

function licenseOf(folder: string): string {
  const from = join(root, folder);
  const { name, license } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Record<string, string>;
  const file = readdirSync(from).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name}\n\n${file === undefined ? `${license}\n` : readFileSync(join(from, file), "utf8")}`;
}

/** A project that installs the tarballs of build/packages, in a temporary folder. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifestOf, publicFolders } from "./packages.js";
import { attempt, root, ToolError, type Ended } from "./process.js";

const TARBALLS = join(root, "build", "packages");

const PLATFORM = `@ggsl/${process.platform}-${process.arch}`;
/** The packages of this project that `npm install ggsl` installs besides it, on every platform. */
export const PARTS: readonly string[] = neededBy("ggsl");

/** What a published package depends on, directly or not, of this project. */
function neededBy(name: string): string[] {
  const manifests = new Map(publicFolders().map((folder) => [manifestOf(folder).name, manifestOf(folder)]));
  const needed = new Set([name]);
  for (const one of needed)
    for (const other of Object.keys(manifests.get(one)?.dependencies ?? {}))
      if (manifests.has(other)) needed.add(other);
  needed.delete(name);
  return [...needed];
}

/** The tarball of a package. */
function tarballOf(name: string): string {
  const start = `${name.replace("@", "").replace("/", "-")}-`;
  const file = readdirSync(TARBALLS).find((file) => file.startsWith(start) && /^\d/.test(file.slice(start.length)));
  if (file === undefined) throw new ToolError(`${TARBALLS} has no tarball of ${name}. Run: npm run pack -- --here`);
  return join(TARBALLS, file);
}

/** An empty project. */
export function emptyProject(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ggsl-consumer-")));
  const manifest = { name: "consumer", private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

/** Without `--ignore-scripts`: the packages have none. */
const OPTIONS = ["--prefer-offline", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];

/** Installs packages of this project by npm. */
export const installWithNpm = (
  folder: string,
  names: readonly string[],
  options: readonly string[] = [],
): Promise<Ended> => attempt("npm", ["install", ...OPTIONS, ...options, ...names.map(tarballOf)], { cwd: folder });

/** Installs `ggsl` and its parts by npm. */
export const installAll = (folder: string, options: readonly string[] = []): Promise<Ended> =>
  installWithNpm(folder, ["ggsl", ...PARTS, ...(options.includes("--omit=optional") ? [] : [PLATFORM])], options);

/** Installs `ggsl` by a copy of pnpm. */
export function installWithPnpm(folder: string, pnpm: string): Promise<Ended> {
  const overrides = [...PARTS, PLATFORM].map((name) => `  "${name}": "file:${tarballOf(name)}"\n`);
  writeFileSync(join(folder, "pnpm-workspace.yaml"), `overrides:\n${overrides.join("")}`);
  return attempt(pnpm, ["add", tarballOf("ggsl")], { cwd: folder });
}

interface Installed {
  readonly name: string;
  readonly bytes: number;
  readonly files: number;
  /** Scripts that a package manager would run. */
  readonly scripts: readonly string[];
}

/** The packages that npm installed, the largest first. */
export function installedPackages(folder: string): Installed[] {
  const modules = join(folder, "node_modules");
  return foldersOf(modules)
    .map((name): Installed => {
      const files = filesOf(join(modules, name));
      const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
      return { name, bytes, files: files.length, scripts: scriptsOf(join(modules, name)) };
    })
    .sort((a, b) => b.bytes - a.bytes);
}

const foldersOf = (modules: string): string[] =>
  readdirSync(modules).flatMap((name) => {
    if (name.startsWith(".")) return [];
    return name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name];
  });

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

function scriptsOf(folder: string): string[] {
  const text = readFileSync(join(folder, "package.json"), "utf8");
  const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, string> };
  return ["preinstall", "install", "postinstall"].filter((name) => name in scripts);
}

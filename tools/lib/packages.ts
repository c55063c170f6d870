/** The packages that are published: what their tarballs contain. */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./process.js";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: Exports;
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

type Exports = string | { readonly [key: string]: Exports };

/** The condition under which the packages are loaded from their sources; the sources are not published. */
const SOURCE = "@ggsl/source";

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;

/** The workspaces that are published. */
export function publicFolders(): string[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { workspaces: string[] };
  return workspaces.filter((folder) => manifestOf(folder).private !== true);
}

/** What a tarball contains besides the workspace's own files. */
export interface Additions {
  /** Files from elsewhere in the checkout, by their path in the package. */
  readonly files?: Readonly<Record<string, string>>;
  /** Fields of package.json. */
  readonly manifest?: Readonly<Record<string, unknown>>;
}

/** Writes the contents of a workspace's tarball into a folder. */
export function stage(folder: string, to: string, { files: extras = {}, manifest: added = {} }: Additions = {}): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const { devDependencies: _bundled, ...manifest } = manifestOf(folder);
  const { files = [] } = manifest;
  const published = {
    ...manifest,
    ...(manifest.exports && { exports: withoutSource(manifest.exports), ...withoutExports(manifest.exports) }),
    ...added,
  };
  writeFileSync(join(to, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(root, "LICENSE"), join(to, "LICENSE"));
  copyFileSync(join(root, folder, "README.npm.md"), join(to, "README.md"));
  // npm chooses among these files
  const folders = new Set(files.map((pattern) => pattern.split("/")[0]!));
  const isPublished = (path: string): boolean => !path.endsWith(".map");
  for (const name of folders)
    if (existsSync(join(root, folder, name)))
      cpSync(join(root, folder, name), join(to, name), { recursive: true, filter: isPublished });
  withoutMaps(join(to, "dist"));
  for (const [path, from] of Object.entries(extras)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(join(root, from), join(to, path));
  }
}

function withoutSource(exports: Exports): Exports {
  if (typeof exports === "string") return exports;
  const entries = Object.entries(exports).filter(([key]) => key !== SOURCE);
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutSource(value)]));
}

/**
 * The fields for what does not read `exports`, such as TypeScript's `moduleResolution: node10`: the main file, and the types of the
 * others.
 */
function withoutExports(exports: Exports): Readonly<Record<string, unknown>> {
  const entries = Object.entries(exports).flatMap(([key, entry]) =>
    typeof entry === "object" && typeof entry["types"] === "string" ? [{ key, types: entry["types"], entry }] : [],
  );
  const main = entries.find(({ key }) => key === ".");
  const others = entries.filter((entry) => entry !== main);
  return {
    ...(main && { main: main.entry["default"], types: main.types }),
    typesVersions: { "*": Object.fromEntries(others.map(({ key, types }) => [key.replace("./", ""), [types]])) },
  };
}

/** Removes references to source maps, which are not published: some bundlers warn about missing ones. */
function withoutMaps(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !path.endsWith(".js")) continue;
    const text = readFileSync(path, "utf8");
    const without = text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
    if (without !== text) writeFileSync(path, without);
  }
}

/**
 * Libraries of samplers in npm packages. The field `ggsl` of package.json names the file that an import of the package reads, or a file
 * for each subpath: `"ggsl": "samplers.ggsl"`, `"ggsl": { ".": "samplers.ggsl", "./more": "more.ggsl" }`. The package is found as Node.js
 * finds it: in the folders `node_modules` from that of the importing file upward; a file of a package can also name its own package.
 */
import { isBelow, readRegular, realPath, textOf, UnreadableFile, type Disk } from "./disk.js";
import type { RefusedImport } from "./source/importer.js";
import { packageText, type PackageVersion } from "./source/source.js";

/** A package that is installed. */
export interface Package extends PackageVersion {
  /** Its real folder, which its files must not leave. */
  readonly folder: string;
  /** The field `ggsl`, as it is written. */
  readonly field: unknown;
}

/** The limit of a package.json. */
const MAX_MANIFEST_BYTES = 1 << 20;

/** The package of a name for a file in a real folder; undefined if it is not installed. Throws `UnreadableFile`. */
export function findPackage(disk: Disk, name: string, from: string): Package | undefined {
  const { path } = disk;
  const own = ownPackage(disk, from);
  if (own?.name === name && own.field !== undefined) return own;
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = packageIn(disk, path.join(folder, "node_modules", ...name.split("/")));
    // the name by which it is installed, which can be an alias
    if (found) return { ...found, name };
    if (path.dirname(folder) === folder) return undefined;
  }
}

/** The package that a folder is part of. */
function ownPackage(disk: Disk, from: string): Package | undefined {
  const { path } = disk;
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = packageIn(disk, folder);
    if (found || path.dirname(folder) === folder) return found;
  }
}

function packageIn(disk: Disk, folder: string): Package | undefined {
  try {
    const text = textOf(readRegular(disk, disk.path.join(folder, "package.json"), MAX_MANIFEST_BYTES));
    const { name, version, ggsl } = manifestOf(text);
    const isText = (value: unknown): value is string => typeof value === "string";
    return {
      name: isText(name) ? name : "",
      version: isText(version) ? version : "0.0.0",
      folder: realPath(disk, folder),
      field: ggsl,
    };
  } catch (error) {
    if (error instanceof UnreadableFile && error.isMissing) return undefined;
    throw error;
  }
}

function manifestOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const found = JSON.parse(text) as unknown;
    if (typeof found === "object" && found !== null) return found as Record<string, unknown>;
  } catch {
    // reported below
  }
  throw new UnreadableFile("its package.json is not a JSON object");
}

/** The real path of the file of a subpath, or why there is none. Throws `UnreadableFile`. */
export function entryOf(disk: Disk, found: Package, subpath: string): string | RefusedImport {
  const { path } = disk;
  const text = packageText(found);
  const files = filesOf(found.field);
  if (!files)
    return {
      refused: `the package ${text} has no samplers: its package.json has no field "ggsl"`,
      help: 'a package names its file there, as in "ggsl": "samplers.ggsl"',
    };
  const file = Object.hasOwn(files, subpath) ? files[subpath] : undefined;
  if (typeof file !== "string")
    return {
      refused: `the package ${text} has no file for "${subpath}" in the field "ggsl" of its package.json`,
      help: `it has ${Object.keys(files)
        .map((name) => `"${name === "." ? found.name : found.name + name.slice(1)}"`)
        .join(", ")}`,
    };
  const joined = path.resolve(found.folder, file);
  const fault = (what: string): RefusedImport => ({
    refused: `"${file}", which the package ${text} names in the field "ggsl" of its package.json, ${what}`,
    help: "tell the author of the package",
  });
  if (!file.endsWith(".ggsl")) return fault("is not a file *.ggsl");
  if (!isBelow(disk, found.folder, joined)) return fault("is outside the package");
  const real = realOf(disk, joined);
  if (real === undefined) return fault("does not exist");
  return isBelow(disk, found.folder, real) ? real : fault("is a link to a file outside the package");
}

function realOf(disk: Disk, file: string): string | undefined {
  try {
    return realPath(disk, file);
  } catch (error) {
    if (error instanceof UnreadableFile && error.isMissing) return undefined;
    throw error;
  }
}

/** The field `ggsl` as files by subpath; undefined for another value. */
function filesOf(field: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof field === "string") return { ".": field };
  return typeof field === "object" && field !== null ? (field as Record<string, unknown>) : undefined;
}

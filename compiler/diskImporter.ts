/**
 * Imports from disk. Programs from strangers may import anything, so an import is read only if it is a regular file below a folder that
 * the caller trusts, or of an installed package; a file of a package imports only what the package contains, and other packages.
 */
import { isBelow, MAX_SOURCE_BYTES, readRegular, realPath, textOf, UnreadableFile, type Disk } from "./disk.js";
import { entryOf, findPackage, type Package } from "./packages.js";
import { packagePath, type Importer, type PackagePath, type RefusedImport } from "./source/importer.js";
import { packageText, type SourceFile } from "./source/source.js";

interface DiskImporterOptions {
  /** The folder that imports of a file must stay below. */
  readonly rootOf: (importer: string) => string;
  /** Reads a file that is below the folder; default: from disk. Throws `UnreadableFile`. */
  readonly read?: (file: string) => SourceFile;
  /** Called with the path of each import that is below the folder, even if there is no file. */
  readonly onImport?: (file: string) => void;
}

/** A file that was imported from a package. */
interface PackageFile {
  readonly within: Package;
  /** Its real path. */
  readonly file: string;
}

/** Reads imports relative to the importing file, and those of packages as Node.js finds them. */
export function diskImporter(disk: Disk, options: DiskImporterOptions): Importer {
  const { path } = disk;
  const { rootOf, read = (name) => readSource(disk, name), onImport } = options;
  const relativeTo = (importer: string, file: string): string =>
    path.isAbsolute(importer) ? file : path.relative(".", file);
  const packages = newPackages(disk, (file, importer) => {
    const name = relativeTo(importer, file);
    onImport?.(name);
    return read(name);
  });

  function fromFile(from: string, importer: string): ReturnType<Importer> {
    const joined = path.join(path.dirname(importer), from);
    const name = relativeTo(importer, joined);
    const root = rootOf(importer);
    if (!isBelow(disk, path.resolve(root), path.resolve(joined))) return leavesRoot("it", root);
    onImport?.(name);
    if (!isBelow(disk, realPath(disk, root), realPath(disk, joined)))
      return leavesRoot("it is a link to a file that", root);
    return read(name);
  }

  return reading((from, importer) => {
    const known = packages.importFrom(from, importer);
    if (known !== "outside") return known;
    const named = packagePath(from);
    if (!named) return fromFile(from, importer);
    const found = findPackage(disk, named.name, realPath(disk, path.dirname(path.resolve(importer))));
    return found && packages.open(found, named, importer);
  });
}

/**
 * The importer of a program that is in no file: it imports these packages alone, and they what they need. Its files have names without the
 * folders of this machine, as `@someone/samplers@1.2.0/samplers.ggsl`.
 */
export function libraryImporter(disk: Disk, libraries: readonly Package[]): Importer {
  const { path } = disk;
  const packages = newPackages(disk, (file, _, { name, version, folder }) => ({
    name: `${name}@${version}/${path.relative(folder, file).split(path.sep).join("/")}`,
    text: readSource(disk, file).text,
  }));
  return reading((from, importer) => {
    const known = packages.importFrom(from, importer);
    const named = packagePath(from);
    if (known !== "outside" || !named) return known === "outside" ? undefined : known;
    const found = libraries.find(({ name }) => name === named.name);
    return found ? packages.open(found, named, importer) : noLibrary(named, libraries);
  });
}

const readSource = (disk: Disk, name: string): SourceFile => ({
  name,
  text: textOf(readRegular(disk, name, MAX_SOURCE_BYTES)),
});

const reading =
  (importer: Importer): Importer =>
  (from, name) => {
    try {
      return importer(from, name);
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      return error.isMissing ? undefined : { refused: error.reason };
    }
  };

/** The files of packages, by the names that `read` gives them. */
function newPackages(disk: Disk, read: (file: string, importer: string, within: Package) => SourceFile) {
  const { path } = disk;
  const files = new Map<string, PackageFile>();
  // a file is the same object whenever it is read, unless it has changed
  const marked = new WeakMap<SourceFile, SourceFile>();

  function readFile(file: string, importer: string, within: Package): SourceFile {
    const source = read(file, importer, within);
    files.set(source.name, { within, file });
    const { name, version } = within;
    const known = marked.get(source) ?? { ...source, package: { name, version } };
    marked.set(source, known);
    return known;
  }

  /** What the file of a package imports; `outside` if the importing file is of no package. */
  function importFrom(from: string, importer: string): ReturnType<Importer> | "outside" {
    const here = files.get(importer);
    if (!here) return "outside";
    const { within, file } = here;
    const named = packagePath(from);
    if (named) {
      const found = findPackage(disk, named.name, path.dirname(file));
      return found && open(found, named, importer);
    }
    const joined = path.resolve(path.dirname(file), from);
    if (!isBelow(disk, within.folder, joined)) return leavesPackage("it", within);
    const real = realPath(disk, joined);
    if (!isBelow(disk, within.folder, real)) return leavesPackage("it is a link to a file that", within);
    return readFile(real, importer, within);
  }

  function open(found: Package, { subpath }: PackagePath, importer: string): ReturnType<Importer> {
    const entry = entryOf(disk, found, subpath);
    return typeof entry === "string" ? readFile(entry, importer, found) : entry;
  }

  return { importFrom, open };
}

const leavesRoot = (what: string, root: string): RefusedImport => ({
  refused: `${what} is outside the folder "${root}"`,
  help: "imports stay below the folder of the file that is compiled; give the command a higher one with --root DIR",
});

const leavesPackage = (what: string, within: Package): RefusedImport => ({
  refused: `${what} is outside the package ${packageText(within)}`,
  help: "a file of a package imports what the package contains, and other packages by their names",
});

const noLibrary = ({ name }: PackagePath, libraries: readonly Package[]): RefusedImport => ({
  refused: `"${name}" is no library of this server`,
  help:
    libraries.length === 0
      ? "the server has none; whoever starts it gives some with --library NAME"
      : `it has ${libraries.map((library) => `"${library.name}"`).join(", ")}`,
});

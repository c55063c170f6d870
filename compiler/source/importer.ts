/** How imported files are read. */
import type { SourceFile } from "./source.js";

/** A file that exists and must not be imported. */
export interface RefusedImport {
  /** Why, as in "it is outside the folder ...". */
  readonly refused: string;
  readonly help?: string;
}

/**
 * Reads an imported file; `path` is as written in the import, `importer` the name of the importing file. Undefined if there is no
 * such file.
 */
export type Importer = (path: string, importer: string) => SourceFile | RefusedImport | undefined;

/** What an import of a package names. */
export interface PackagePath {
  /** With its scope, as in `@someone/samplers`. */
  readonly name: string;
  /** `.` for the package itself, else as in `./more`. */
  readonly subpath: string;
}

const PACKAGE = /^((?:@[a-z\d~-][\w.~-]*\/)?[a-z\d~-][\w.~-]*)((?:\/[\w.~-]+)*)$/i;

/** The package that an import names; undefined for a file, whose path begins with a point or a `/`, or ends with `.ggsl`. */
export function packagePath(path: string): PackagePath | undefined {
  const [, name, rest] = path.endsWith(".ggsl") ? [] : (PACKAGE.exec(path) ?? []);
  return name === undefined ? undefined : { name, subpath: `.${rest}` };
}

/** The importer of a program that is in no file, and of callers that give none. */
export const importNothing: Importer = (path) =>
  packagePath(path) && {
    refused: "packages are found only for programs in files",
    help: "compile a file, or give `compile` an `importer` that returns the package's samplers",
  };

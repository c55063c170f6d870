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

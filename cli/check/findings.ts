/** Checks programs, and counts what is wrong with them. */
import { isError, sortDiagnostics, type Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { quickFix, type QuickFix } from "@ggsl/compiler/check/fixes.js";
import { checkProgram } from "@ggsl/compiler/driver.js";
import type { LimitPreset } from "@ggsl/compiler/limits/limits.js";
import type { File } from "@ggsl/compiler/syntax/ast.js";
import { parse } from "@ggsl/compiler/syntax/parse.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import { InputError } from "ggsl/core/errors.js";
import { importerFor } from "../files.js";
import { nameOf, readProgram, type ProgramFlags } from "../programs.js";

export interface CheckOptions extends ProgramFlags {
  readonly limits?: LimitPreset;
  readonly root?: string;
}

/** A file that cannot be read. */
export interface Unread {
  readonly file: string;
  readonly error: InputError;
}

export interface Findings {
  /** The names of the checked programs. */
  readonly files: readonly string[];
  /** Sorted by place, without duplicates. */
  readonly diagnostics: readonly Diagnostic[];
  readonly unread: readonly Unread[];
  readonly errors: number;
  readonly warnings: number;
}

/** Checks all files; one that cannot be read does not stop the others. */
export function checkFiles(files: readonly string[], { limits, root, stdinPath }: CheckOptions): Findings {
  const unread: Unread[] = [];
  const flags = stdinPath === undefined ? {} : { stdinPath };
  const all = files.flatMap((file) => {
    try {
      const source = readProgram(file, flags);
      return checkProgram(source, { importer: importerFor(source.name, root), ...(limits && { limits }) });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      unread.push({ file: nameOf(file, flags), error });
      return [];
    }
  });
  const diagnostics = sortDiagnostics(all);
  const errors = diagnostics.filter(isError).length;
  return {
    files: files.map((file) => nameOf(file, flags)),
    diagnostics,
    unread,
    errors: errors + unread.length,
    warnings: diagnostics.length - errors,
  };
}

const trees = new WeakMap<SourceFile, File>();

/** The edits of the diagnostic's fix. */
export function fixOf(d: Diagnostic): QuickFix | undefined {
  if (!d.fix) return undefined;
  const { source } = d.span;
  const tree = trees.get(source) ?? parse(source).file;
  trees.set(source, tree);
  return quickFix(tree, d);
}

/** The programs that a command line names: files, folders, globs, `-`, and installed packages. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, normalize, relative, resolve } from "node:path";
import { Option, type Argument } from "commander";
import { findPackage, type Package } from "@ggsl/compiler/packages.js";
import { realPath } from "@ggsl/compiler/disk.js";
import { packagePath } from "@ggsl/compiler/source/importer.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import { InputError } from "ggsl/core/errors.js";
import { disk, readSource, unreadable } from "./files.js";
import { PROGRAM_FILES, programArgument, UsageError } from "./usage.js";
import { withValues } from "./values.js";

export interface ProgramFlags {
  readonly stdinPath?: string;
}

/** For editors, which pass the text of a file that may not be saved. */
export const stdinPathOption = (): Option =>
  withValues(
    new Option("--stdin-path <file>", "the file that standard input is the text of, for messages and imports"),
    PROGRAM_FILES,
  );

/** The argument of a command that takes programs. */
export const programsArgument = (more = ""): Argument =>
  programArgument("<files...>", `GGSL files, folders, globs such as 'src/**/*.ggsl', or - for standard input${more}`);
/** For `programsOf` with packages. */
export const OR_PACKAGES = "; also installed packages by their names";

/**
 * The files, each once, in the order of the words; those of a folder or a glob in the order of their names. Folders and globs
 * contribute files `*.ggsl`, those below their folders included. Skips `node_modules` and names that begin with a dot. A file that does not exist is kept:
 * reading it says so. With `packages`, the name of an installed package means its folder.
 * @throws InputError if a folder or a glob has no program
 */
export async function programsOf(
  words: readonly string[],
  { packages = false }: { readonly packages?: boolean } = {},
): Promise<string[]> {
  if (words.indexOf("-") !== words.lastIndexOf("-"))
    throw new UsageError("standard input can be read once, and - is given twice");
  const files: string[] = [];
  for (const word of words)
    for (const file of await filesOf((packages && packageFolder(word)) || word)) files.push(file);
  return [...new Map(files.map((file) => [file === "-" ? file : normalize(file), file])).values()];
}

const PATTERN = /[*?[\]{}]|[!@+]\(/;
const isFolder = (path: string): boolean => statSync(path).isDirectory();

async function filesOf(word: string): Promise<readonly string[]> {
  if (word === "-") return [word];
  const isThere = existsSync(word);
  if (isThere ? !isFolder(word) : !PATTERN.test(word)) return [word];
  // most command lines need no pattern
  const { glob } = await import("tinyglobby");
  const options = { dot: false, followSymbolicLinks: false, ignore: ["**/node_modules/**"] };
  // also the files below folders that match
  const patterns = isThere ? ["**"] : [word, `${word.replace(/\/+$/, "")}/**`];
  const names = await glob(patterns, { ...options, expandDirectories: false, cwd: isThere ? word : "." });
  const found = names.filter((name) => name.endsWith(".ggsl")).map((name) => (isThere ? join(word, name) : name));
  if (found.length > 0) return found.toSorted(byName);
  const what = isThere ? `the folder "${word}" has no files *.ggsl` : `no file *.ggsl matches "${word}"`;
  throw new InputError(`${what} (node_modules and names that begin with a dot are skipped)`, { code: "NO_FILES" });
}

/** The folder of the installed package that a word names, if there is no file of that name. */
function packageFolder(word: string): string | undefined {
  const named = existsSync(word) ? undefined : packagePath(word);
  if (named?.subpath !== ".") return undefined;
  const found = installed(named.name);
  if (found) return relative(".", found.folder) || ".";
  if (!word.startsWith("@")) return undefined;
  throw new InputError(`there is no file "${word}", and no package of this name is installed: npm install ${word}`, {
    code: "MISSING_PACKAGE",
  });
}

function installed(name: string): Package | undefined {
  try {
    return findPackage(disk, name, realPath(disk, "."));
  } catch (error) {
    throw unreadable(`the package.json of ${name}`, error);
  }
}

/** The same everywhere, whatever the language of the system. */
const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The folders where the programs of folders and globs can appear. */
export const foldersOf = (words: readonly string[]): string[] => words.flatMap(baseOf).flatMap(foldersBelow);

function baseOf(word: string): string[] {
  if (word === "-") return [];
  if (existsSync(word)) return isFolder(word) ? [resolve(word)] : [];
  // the path before the first pattern
  const first = word.search(PATTERN);
  return first < 0 ? [] : [resolve(word.slice(0, first).replace(/[^/]*$/, "") || ".")];
}

function foldersBelow(folder: string): string[] {
  const isKept = (name: string): boolean => !name.startsWith(".") && name !== "node_modules";
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((e) => e.isDirectory() && isKept(e.name));
    return [folder, ...below.flatMap(({ name }) => foldersBelow(join(folder, name)))];
  } catch {
    // removed in the meantime, or not readable
    return [folder];
  }
}

/** Reads a program; standard input has the name of `--stdin-path`. */
export const readProgram = (file: string, { stdinPath }: ProgramFlags): SourceFile => ({
  name: nameOf(file, { stdinPath }),
  text: readSource(file),
});

export const nameOf = (file: string, { stdinPath = "-" }: { readonly stdinPath?: string | undefined }): string =>
  file === "-" ? stdinPath : file;

/** Wrong usage if `--stdin-path` is given without `-`. */
export function checkStdinPath(words: readonly string[], { stdinPath }: ProgramFlags): void {
  if (stdinPath !== undefined && !words.includes("-"))
    throw new UsageError("--stdin-path needs the file -, which is standard input");
}

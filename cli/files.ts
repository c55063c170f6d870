/** Files that the command line names. */
import fs, { existsSync, writeFileSync } from "node:fs";
import path, { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Importer } from "@ggsl/compiler/check/program.js";
import {
  diskImporter,
  MAX_SOURCE_BYTES,
  readRegular,
  readStream,
  textOf,
  UnreadableFile,
  type Disk,
} from "@ggsl/compiler/disk.js";
import { InputError } from "ggsl/errors.js";

/** A file of the package ggsl, which contains the bundled command. */
export function packageFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, path);
}

export const useColor = (): boolean => process.stderr.isTTY === true && process.env["NO_COLOR"] === undefined;

export const disk: Disk = { fs, path };

/** Limits of files in bytes, by what they contain. */
export const MAX_BYTES = {
  source: MAX_SOURCE_BYTES,
  spec: 2 ** 26,
  grammar: 2 ** 20,
  numbers: 2 ** 28,
  settings: 2 ** 26,
} as const;

/** Reads a program; `-` is standard input. */
export const readSource = (path: string): string => textOf(readBytes(path, MAX_BYTES.source));

/** Reads a regular file of at most `limit` bytes; `-` is standard input. */
export function readBytes(path: string, limit: number): Buffer {
  try {
    return Buffer.from(path === "-" ? readStream(disk, 0, limit) : readRegular(disk, path, limit));
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** An `InputError` that names the file, for an `UnreadableFile`. */
export function unreadable(path: string, error: unknown): unknown {
  return error instanceof UnreadableFile
    ? new InputError(`"${path}" cannot be read: ${error.reason}`, { code: "UNREADABLE_FILE" })
    : error;
}

/** Reads imports below `root`, by default the folder of the file that is compiled. */
export const importerFor = (file: string, root = dirname(file)): Importer => diskImporter(disk, { rootOf: () => root });

/** Writes a text file. Throws `InputError` with the reason if that fails. */
export function writeText(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new InputError(`"${path}" cannot be written: ${reason(error)}`);
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  return code === "EACCES" ? "permission denied" : message;
}

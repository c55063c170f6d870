/** Files that the command line names. */
import fs, { accessSync, constants, existsSync, writeFileSync } from "node:fs";
import path, { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Importer } from "@ggsl/compiler/source/importer.js";
import { diskImporter } from "@ggsl/compiler/diskImporter.js";
import { MAX_SOURCE_BYTES, readRegular, readStream, textOf, UnreadableFile, type Disk } from "@ggsl/compiler/disk.js";
import { InputError } from "ggsl/core/errors.js";
import { UsageError } from "./usage.js";

/** A file of the package ggsl, which contains the bundled command. */
export function packageFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, path);
}

export const disk: Disk = { fs, path };

/** Limits of files in bytes, by what they contain. */
export const MAX_BYTES = {
  source: MAX_SOURCE_BYTES,
  spec: 2 ** 26,
  grammar: 2 ** 20,
  numbers: 2 ** 28,
  settings: 2 ** 26,
  module: 2 ** 26,
} as const;

/** Why standard input cannot be read, or not again. */
let inputRefusal: string | undefined;

/** Later, `-` is wrong usage for this reason. */
export function refuseInput(reason: string): void {
  inputRefusal = reason;
}

/** At the start of a command: its standard input has not been read. */
export function offerInput(): void {
  inputRefusal = undefined;
}

let onRead = (_path: string): void => undefined;

/** Calls `listener` with the path of each file just before it is read, imports and missing files included. */
export function listenToReads(listener: (path: string) => void): void {
  onRead = listener;
}

/** Tells the listener of a file that something else reads. */
export const noteRead = (path: string): void => onRead(path);

/** Reads a program; `-` is standard input. */
export const readSource = (path: string): string => readText(path, MAX_BYTES.source);

/** Reads a text, without a byte order mark, as `readBytes` does. */
export const readText = (path: string, limit: number): string => decoded(path, readBytes(path, limit));

/** Reads a file of at most `limit` bytes. Throws `InputError`. */
export function readJson(path: string, limit: number): unknown {
  const text = readText(path, limit);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`"${path}" is not JSON: ${(error as Error).message}`, { code: "INVALID_FILE" });
  }
}

/** The text of a file's bytes. Throws `InputError` for bytes that are not UTF-8. */
export function decoded(path: string, bytes: Uint8Array): string {
  try {
    return textOf(bytes);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Reads a regular file of at most `limit` bytes; `-` is standard input, once. */
export function readBytes(path: string, limit: number): Buffer {
  if (path !== "-") noteRead(path);
  else if (inputRefusal !== undefined) throw new UsageError(inputRefusal);
  else refuseInput("standard input can be read once, and - is given twice");
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
export const importerFor = (file: string, root = dirname(file)): Importer =>
  diskImporter(disk, { rootOf: () => root, onImport: noteRead });

/** Writes a file, a text or bytes; `-` is standard output. Throws `InputError` with the reason if that fails. */
export function writeOutput(path: string, content: string | Uint8Array): void {
  if (path === "-") return void process.stdout.write(content);
  writing(path, () => writeFileSync(path, content));
}

/** Throws `InputError` before a long piece of work if its file could not be written, as far as its folder tells. */
export function checkOutput(path: string): void {
  if (path !== "-") writing(path, () => accessSync(dirname(path), constants.W_OK));
}

function writing(path: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    throw new InputError(`"${path}" cannot be written: ${reasonOf(error)}`, { code: "UNWRITABLE_FILE" });
  }
}

/** Why a file cannot be written. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such folder";
  if (code === "EISDIR") return "it is a folder";
  return code === "EACCES" ? "permission denied" : message;
}

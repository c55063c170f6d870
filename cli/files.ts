/** Files that the command line names. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Importer } from "@ggsl/compiler/check/program.js";
import { InputError } from "ggsl/errors.js";

/** A file of the package ggsl, which contains the bundled command. */
export function packageFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, path);
}

export const useColor = (): boolean => process.stderr.isTTY === true && process.env["NO_COLOR"] === undefined;

/** Reads a text file; `-` is standard input. */
export function readText(path: string): string {
  return withoutMark(readBytes(path).toString("utf8"));
}

/** Removes the byte order mark that some editors write. */
const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");

export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path === "-" ? 0 : path);
  } catch (error) {
    throw new InputError(`"${path}" cannot be read: ${reason(error)}`);
  }
}

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

/** Reads imports relative to the importing file. */
export const fileImporter: Importer = (path, importer) => {
  const joined = join(dirname(importer), path);
  const file = isAbsolute(joined) ? joined : relative(".", joined);
  try {
    return { name: file, text: withoutMark(readFileSync(file, "utf8")) };
  } catch {
    return undefined;
  }
};

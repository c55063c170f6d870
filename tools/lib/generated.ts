/** Files in the checkout that tools make of others. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./process.js";

/** A file's text; nothing where there is none. */
export const readIfThere = (path: string): string =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";

/** Writes a file. One that is right already is left alone, so that nothing is rebuilt for nothing. */
export function writeGenerated(path: string, text: string): void {
  if (readIfThere(path) === text) return;
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}`);
}

/** Whether a file is as it should be; if not, says that `command` makes it. */
export function checkGenerated(path: string, text: string, command: string): boolean {
  if (readIfThere(path) === text) return true;
  console.error(`${path} is stale; run \`${command}\``);
  return false;
}

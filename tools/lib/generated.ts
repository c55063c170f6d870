/** Generated files in the checkout. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./process.js";

/** A file's text; empty if it does not exist. */
export const readIfThere = (path: string): string =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";

/** Writes a file unless it is up to date, so that nothing is rebuilt needlessly. */
export function writeGenerated(path: string, text: string): void {
  if (readIfThere(path) === text) return;
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}`);
}

/** Whether a file is up to date; if not, prints `command`, which generates it. */
export function checkGenerated(path: string, text: string, command: string): boolean {
  if (readIfThere(path) === text) return true;
  console.error(`${path} is stale; run \`${command}\``);
  return false;
}

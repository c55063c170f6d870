/** Golden files: compared byte for byte, and rewritten only by `GGSL_BLESS=1`, which prints the changes. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const isBlessing = process.env["GGSL_BLESS"] === "1";

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The expected text from a golden file; with `GGSL_BLESS=1`, rewrites the file and returns `actual`. */
export function expected(name: string, actual: string): string {
  const path = pathOf(name);
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (!isBlessing) return before;
  if (before !== actual) {
    process.stdout.write(`blessed ${name}\n${difference(before, actual)}\n`);
    writeFileSync(path, actual);
  }
  return actual;
}

/** Removed (-) and added (+) lines, without the common start and end. */
export function difference(before: string, after: string): string {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const gone = a.slice(start, a.length - end).map((line) => `- ${line}`);
  const come = b.slice(start, b.length - end).map((line) => `+ ${line}`);
  return [`@@ line ${start + 1}`, ...gone, ...come].join("\n");
}

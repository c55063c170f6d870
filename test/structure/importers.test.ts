/** A new importer is its reader, an entry in two tables and its files: every other list of importers is derived from the tables. */
import { expect, test } from "@jest/globals";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIELDS } from "../../settings/from/formats/fields.js";
import { JSON_FORMATS } from "../../settings/from/formats/index.js";

const FORMATS = "settings/from/formats";
const FILES = "test/import/files";
/** The importers with fields of their own; others read the same fields in another way. */
const NAMES = JSON_FORMATS.filter(({ fields }) => fields !== undefined).map(({ name }) => name);

test.each(NAMES)("%s has its places", (name) => {
  expect(Object.keys(FIELDS)).toContain(name);
  expect(readdirSync(join(FILES, name)).length).toBeGreaterThan(1);
  const { read } = JSON_FORMATS.find((format) => format.name === name)!;
  const reader = /\bfrom\w+/.exec(`${read.name} ${String(read)}`)![0];
  const file = new RegExp(`import \\{ ${reader} \\} from "\\./(\\w+)\\.js"`).exec(
    readFileSync(join(FORMATS, "index.ts"), "utf8"),
  )![1]!;
  expect(existsSync(join(FORMATS, `${file}.ts`))).toBe(true);
});

/** Folders that no importer is written in. */
const ELSEWHERE = [".git", "build", "dist", "docs", "node_modules", "bench"];

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ELSEWHERE.includes(entry.name) ? [] : sourcesIn(path);
    return /\.(ts|mjs)$/.test(entry.name) && !/\.(generated|test|d)\./.test(entry.name) ? [path] : [];
  });
}

test("no other source lists the importers", () => {
  const texts = sourcesIn(".").map((path) => [path, readFileSync(path, "utf8")] as const);
  expect(texts.length).toBeGreaterThan(300);
  const isNamed = (name: string, text: string): boolean =>
    new RegExp(`["'\`]${name.replace(".", "\\.")}["'\`]|^ *${name}:`, "m").test(text);
  const lists = texts.filter(([, text]) => NAMES.filter((name) => isNamed(name, text)).length > NAMES.length / 2);
  expect(lists.map(([path]) => path).toSorted()).toEqual([`${FORMATS}/fields.ts`, `${FORMATS}/index.ts`]);
});

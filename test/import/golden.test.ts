/**
 * Each file of `files/KIND/` is imported; next to it are the exact program (`NAME.ggsl`) and the messages to the user
 * (`NAME.stderr`). `GGSL_BLESS=1` rewrites them.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { compileProgram } from "../../compiler/driver.js";
import { print } from "../../format/print.js";
import { describeNotes, importFile, KINDS, type Imported } from "../../settings/from/import.js";
import { ggufOf, sourceOf, type Description } from "./gguf.js";

const folder = fileURLToPath(new URL("files", import.meta.url));
const isBlessing = process.env["GGSL_BLESS"] === "1";
const kinds = readdirSync(folder);
const sourcesOf = (kind: string): string[] =>
  readdirSync(join(folder, kind)).filter((name) => !/\.(?:ggsl|stderr)$/.test(name));

/** Kinds with the same keys as another one, which is chosen without a name. */
const BY_NAME: ReadonlySet<string> = new Set(["ollama-2025", "ollama-engine"]);

/** Command lines are llama.cpp's too, but have their own folder. */
const kindOf = (kindFolder: string): string => kindFolder.replace(/-args$/, "");

/** Each file is imported once by the name of its kind. */
const known = new Map<string, Imported>();
function imported(kind: string, name: string): Imported {
  const path = join(kind, name);
  const result = known.get(path) ?? read(kind, name);
  known.set(path, result);
  return result;
}

function read(kind: string, name: string): Imported {
  const bytes = readFileSync(join(folder, kind, name));
  if (kind !== "gguf") return importFile(sourceOf(bytes), name, kindOf(kind));
  return importFile(sourceOf(ggufOf(JSON.parse(bytes.toString()) as Description)), name.replace(/\.json$/, ""), kind);
}

function expectGolden(file: string, actual: string): void {
  if (isBlessing) writeFileSync(file, actual);
  expect(actual).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
}

describe.each(kinds)("%s", (kind) => {
  test.each(sourcesOf(kind))("%s", (name) => {
    const { text, notes } = imported(kind, name);
    const stem = join(folder, kind, name.replace(/\.(?:gguf\.json|\w+)$/, ""));
    const lines = describeNotes(notes);
    expectGolden(`${stem}.ggsl`, text);
    expectGolden(`${stem}.stderr`, lines.map((line) => `${line}\n`).join(""));
    expect(compileProgram(text).graph).toBeDefined();
    expect(print({ name, text })).toEqual({ text });
    // the program also contains the messages of standard error
    for (const { key } of notes) expect(text).toContain(JSON.stringify(key).slice(1, -1));
  });
});

test("every kind has files", () => {
  expect(new Set(kinds.map(kindOf))).toEqual(new Set(KINDS));
  for (const kind of kinds) expect(sourcesOf(kind).length).toBeGreaterThanOrEqual(BY_NAME.has(kind) ? 2 : 6);
});

test.each(kinds.filter((kind) => !BY_NAME.has(kind)))("%s is recognised by its keys", (kind) => {
  for (const name of sourcesOf(kind)) {
    if (kind === "gguf") continue;
    const source = sourceOf(readFileSync(join(folder, kind, name)));
    expect(importFile(source, name, undefined).text).toBe(imported(kind, name).text);
  }
});

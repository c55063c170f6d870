/**
 * Each `NAME.ggsl` (a program) and `NAME.stages` (a pipeline) has an error or warning, and `NAME.stderr` is the exact message
 * to the user. A first line `// compile {...}` gives options of `compileProgram`, `// policy` means the policy of a server, and
 * `// under NAME` a chain of a request to a server with that policy.
 * `GGSL_BLESS=1` rewrites the expected files.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { check, checkStages } from "../../compiler/check/check.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { formatDiagnostics } from "../../compiler/check/format.js";
import { RULES } from "../../cli/check/rules.js";
import { checkPolicy, compileProgram, type CompileOptions, type DriverOptions } from "../../compiler/driver.js";
import type { SourceFile } from "../../compiler/source/source.js";

const folder = dirname(fileURLToPath(import.meta.url));
const isBlessing = process.env.GGSL_BLESS === "1";

function importer(path: string, from: string): SourceFile | undefined {
  const name = posix.join(posix.dirname(from), path);
  const file = join(folder, name);
  return existsSync(file) ? { name, text: readFileSync(file, "utf8") } : undefined;
}

function diagnose(name: string): readonly Diagnostic[] {
  const text = readFileSync(join(folder, name), "utf8");
  if (name.endsWith(".stages")) return checkStages({ name, text }).diagnostics;
  if (text.startsWith("// policy\n")) return checkPolicy({ name, text }, { importer }).diagnostics;
  const under = /^\/\/ under (.*)/.exec(text)?.[1];
  if (under !== undefined) {
    const given = { name: under, text: readFileSync(join(folder, under), "utf8") };
    const { policy } = checkPolicy(given, { importer });
    expect(policy).toBeDefined();
    const options: DriverOptions = { file: name, importer, policy };
    return compileProgram(text, options).diagnostics;
  }
  const options = /^\/\/ compile (.*)/.exec(text)?.[1];
  if (options === undefined) return check({ name, text }, { importer }).diagnostics;
  return compileProgram(text, { file: name, importer, ...(JSON.parse(options) as CompileOptions) }).diagnostics;
}

describe("the text of diagnostics", () => {
  test.each(readdirSync(folder).filter((name) => /\.(?:ggsl|stages)$/.test(name)))("%s", (name) => {
    const found = formatDiagnostics(diagnose(name));
    const file = join(folder, name.replace(/\.\w+$/, ".stderr"));
    if (isBlessing) writeFileSync(file, found);
    expect(found).not.toBe("");
    expect(found).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
  });
});

/** Every code that a diagnostic function uses. */
function codesInSource(): string[] {
  const families = join(folder, "../../compiler/diagnostics");
  const text = readdirSync(families)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(families, name), "utf8"));
  return [...text.join("").matchAll(/"([EW]\d{4})"/g)].map((m) => m[1]!);
}

test("codes are unique", () => {
  const codes = codesInSource();
  expect(codes).toEqual([...new Set(codes)]);
});

test("every code has a rule", () => {
  expect(Object.keys(RULES)).toEqual(codesInSource().toSorted());
});

test("every code has a golden text, except those of large programs, of files that are refused, and of traces", () => {
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith(".stderr"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const missing = codesInSource().filter((code) => !texts.some((text) => text.includes(`[${code}]`)));
  expect(missing.sort()).toEqual(["E0102", "E0210", "E0225", "E0807", "E0901", "E0902"]);
});

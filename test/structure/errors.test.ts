/** The codes of errors: one table, and the sources, the native runtime and the documentation agree with it. */
import { describe, expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { CompileError } from "../../compiler/diagnostics/diagnostic.js";
import { UnreadableFile } from "../../compiler/disk.js";
import { EmitError } from "../../compiler/emit/emitError.js";
import { OnnxModelError } from "../../compiler/emit/onnx/modelError.js";
import { SpecError } from "../../compiler/graph/json.js";
import { OptionError } from "../../compiler/core/optionError.js";
import { UsageError } from "../../cli/usage.js";
import { ERROR_CLASSES, ERROR_CODES, type ErrorClass } from "../../runtime/core/errorCodes.js";
import { AbortError, InputError, ModelError, translate } from "../../runtime/core/errors.js";
import { NATIVE_ERROR_CODES } from "../../runtime/core/codes.js";
import { ImportError } from "../../settings/from/notes.js";
import { ExportError } from "../../settings/to/export.js";

const FOLDERS = ["cli", "codegen", "compiler", "format", "runtime", "server", "settings"];
const TABLE = "runtime/core/errorCodes.ts";

const filesIn = (...patterns: readonly string[]): string[] =>
  execFileSync("git", ["ls-files", ...patterns], { encoding: "utf8" })
    .trim()
    .split("\n");
const sources = filesIn(...FOLDERS.map((folder) => `${folder}/**.ts`))
  .filter((file) => file !== TABLE)
  .map((file) => readFileSync(file, "utf8"));
const native = filesIn("native/**.cc", "native/**.h").map((file) => readFileSync(file, "utf8"));
const codes = Object.entries(ERROR_CODES) as [string, { readonly classes: readonly ErrorClass[] }][];

test("the codes of the native runtime are those of its header, and in the table", () => {
  const header = readFileSync("native/graph/failure.h", "utf8");
  const found = [...header.matchAll(/constexpr const char \* \w+ += "(\w+)"/g)].map(([, code]) => code);
  expect([...NATIVE_ERROR_CODES].sort()).toEqual(found.sort());
  for (const code of NATIVE_ERROR_CODES) expect(ERROR_CODES[code].classes).toContain("InputError");
});

test("each code of the table is used, and each code that is used is in the table", () => {
  const isUsed = (code: string): boolean =>
    sources.some((text) => text.includes(`"${code}"`) && text !== readFileSync("runtime/core/codes.ts", "utf8")) ||
    native.some((text) => text.includes(`code::${code.toLowerCase()}`));
  expect(codes.map(([code]) => code).filter((code) => !isUsed(code))).toEqual([]);
  const used = sources.flatMap((text) => [...text.matchAll(/\bcode(?::| =) "([A-Z_]+)"/g)].map(([, code]) => code!));
  expect(used.length).toBeGreaterThan(100);
  expect(used.filter((code) => !Object.hasOwn(ERROR_CODES, code))).toEqual([]);
});

describe("each class of errors", () => {
  const errors: Readonly<Record<ErrorClass, Error & { readonly code: string }>> = {
    InputError: new InputError("", { code: "BUSY" }),
    ModelError: new ModelError("MODEL_CRASH", ""),
    AbortError: new AbortError(),
    CompileError: new CompileError([], ""),
    SpecError: new SpecError([]),
    OptionError: new OptionError(""),
    EmitError: new EmitError("", []),
    OnnxModelError: new OnnxModelError("INVALID_ONNX", ""),
    UnreadableFile: new UnreadableFile(""),
    ImportError: new ImportError(""),
    ExportError: new ExportError([]),
    UsageError: new UsageError(""),
  };
  test.each(Object.keys(ERROR_CLASSES) as ErrorClass[])("%s has its name and a code of its own", (name) => {
    const { code } = errors[name];
    expect(errors[name].name).toBe(name);
    expect(codes.find(([known]) => known === code)?.[1].classes).toContain(name);
  });
});

test("no exported class of errors is without a code", () => {
  const declared = sources.flatMap((text) =>
    [...text.matchAll(/^export class (\w+) extends \w*Error\b/gm)].map(([, name]) => name!),
  );
  // these do not leave the module that catches them
  const inner = [
    "LimitExceeded",
    "UniformTooLarge",
    "NotHere",
    "ThreadEnded",
    "Refusal",
    "NotLocal",
    "TooLarge",
    // what a difference of sets of values has no form for, and a set that is nothing but itself
    "NoForm",
    "Circle",
  ];
  expect(declared.sort()).toEqual([...Object.keys(ERROR_CLASSES), ...inner].filter((n) => declared.includes(n)).sort());
});

test("an InputError needs a code of the table", () => {
  // @ts-expect-error -- there is no default
  expect(() => new InputError("")).toThrow(TypeError);
  // @ts-expect-error -- not in the table
  expect(new InputError("", { code: "NO_SUCH_CODE" }).code).toBe("NO_SUCH_CODE");
});

test("only errors of the native runtime are translated", () => {
  const own = Object.assign(new Error("full"), { code: "CONTEXT_FULL" });
  const other = Object.assign(new Error("gone"), { code: "ENOENT" });
  expect(translate(own)).toMatchObject({ name: "InputError", code: "CONTEXT_FULL", cause: own });
  expect(translate(other)).toBe(other);
});

test("docs/errors.md lists every code and class", () => {
  const page = readFileSync("docs/errors.md", "utf8");
  for (const [name] of [...codes, ...Object.entries(ERROR_CLASSES)]) expect(page).toContain(`| \`${name}\` `);
});

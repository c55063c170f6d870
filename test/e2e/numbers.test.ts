/** Numbers on the command line: every form that the help names, from a file and from standard input, and faults of each. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NUMBER_FORMS, readNumbers } from "../../cli/numbers.js";
import { InputError } from "../../runtime/core/errors.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-numbers-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A .npy file of version 1, as NumPy writes it. */
function npy(dtype: string, shape: string, data: ArrayBuffer): Buffer {
  const text = `{'descr': '${dtype}', 'fortran_order': False, 'shape': ${shape}, }`;
  const header = `${text.padEnd(128 - 11)}\n`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), length, Buffer.from(header), Buffer.from(data)]);
}

const F32 = Float32Array.of(1.5, -Infinity, 0.25);
const F64 = Float64Array.of(1.5, -Infinity, 0.25);

const FORMS: readonly (readonly [string, string | Uint8Array])[] = [
  ["JSON", '[1.5, "-inf", 0.25]'],
  ["JSON with null, a byte order mark and CRLF", "\uFEFF[1.5,\r\nnull,\r\n0.25]\r\n"],
  ["a list", "1.5,-inf, 0.25\n"],
  ["a number on each line", "1.5\n-Infinity\n0.25\n"],
  ["raw f32", new Uint8Array(F32.buffer)],
  ["npy of f32", npy("<f4", "(3,)", F32.buffer)],
  ["npy of f64 and a leading dimension", npy("<f8", "(1, 3)", F64.buffer)],
];

test.each(FORMS)("%s, whatever the name of the file", (_, content) => {
  expect([...readNumbers(file("numbers", content), "--logits")]).toEqual([...F32]);
});

test("each form from standard input", () => {
  const main = "runtime/dist/cli/main.js";
  const args = [main, "eval", "-e", "temp(2)", "--backend", "reference", "--json", "--logits", "-"];
  for (const [, input] of FORMS.filter(([name]) => /^(JSON$|a list|raw|npy of f32)/.test(name))) {
    const { stdout } = spawnSync(process.execPath, args, { input, encoding: "utf8" });
    const { candidates } = JSON.parse(stdout) as { candidates: { token: number }[] };
    expect(candidates.map(({ token }) => token)).toEqual([0, 2]);
  }
  const help = spawnSync(process.execPath, [main, "eval", "--help"], { encoding: "utf8" }).stdout;
  expect(help.replace(/\s+/g, " ")).toContain(NUMBER_FORMS);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { input: "[1, 2", encoding: "utf8" });
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
  expect([status, error.code]).toEqual([1, "INVALID_FILE"]);
  expect(error.message).toMatch(/^--logits: standard input is not a JSON array: /);
  expect(stderr).toBe(`error: ${error.message}\n`);
});

describe("faults", () => {
  test.each<[string | Uint8Array, string]>([
    ["", "is empty: expected numbers"],
    [" \n", "is empty: expected numbers"],
    ["[1, 2", "is not a JSON array: "],
    ["[1]\n[2]", "is not a JSON array: "],
    ['{"logits": [1]}', "contains no JSON array, but an object or a text"],
    ["[1, [2]]", 'element 1 is [2]: expected a number, null or "-inf"'],
    ["[1, true]", "element 1 is true: expected"],
    ["1,,2", 'number 2 is "": expected a number or -inf'],
    ["1 two", 'number 2 is "two": expected a number or -inf'],
    ["# Logits", 'number 1 is "#": expected a number or -inf'],
    [Buffer.from("\uFEFF[1, 2]", "utf16le"), "is UTF-16 text: expected UTF-8"],
    [new Uint8Array(6), "has 6 bytes, which is not a multiple of the 4 bytes of an f32"],
    [npy("<f2", "(3,)", new ArrayBuffer(6)), 'its elements are "<f2", expected <f4'],
    [npy("<f4", "(3, 2)", new ArrayBuffer(24)), "its shape is (3, 2), expected one dimension"],
    [npy("<f4", "(3,)", new ArrayBuffer(8)), "it has 8 bytes of numbers, expected 12 for 3 of 4"],
    [npy("<f4", "(3,)", new ArrayBuffer(12)).subarray(0, 9), "it ends in its header"],
  ])("%#", (content, message) => {
    const path = file("bad", content);
    const read = (): unknown => readNumbers(path, "--logits");
    expect(read).toThrow(InputError);
    expect(read).toThrow(message);
    expect(read).toThrow(`--logits: "${path}"`);
    try {
      read();
    } catch (error) {
      expect((error as InputError).code).toBe("INVALID_FILE");
    }
  });

  test("a name that ends in .f32 is raw, whatever the bytes", () => {
    // the bytes of this number are the text "1,2,"
    expect(readNumbers(file("text.f32", "1,2,"), "--logits")).toHaveLength(1);
  });
});

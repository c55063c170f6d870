/** `ggsl watermark`: keys, and texts of the demo model with a mark and without. */
import { afterAll, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_MODEL } from "../model/file.js";
import { warm } from "./warm/warm.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-watermark-"));
afterAll(() => rmSync(folder, { recursive: true }));
const ggsl = warm();
function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const SECRET = "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef";
const secret = file("secret.txt", `${SECRET}\n`);

test("a new secret, and the seeds of one", () => {
  const [first, second] = [ggsl(["watermark", "key"]), ggsl(["watermark", "key"])];
  expect(first.stdout).toMatch(/^[0-9a-f]{64}\n$/);
  expect(second.stdout).not.toBe(first.stdout);
  const seedOf = (label: string): number =>
    createHmac("sha256", Buffer.from(SECRET, "hex")).update(`ggsl watermark ${label}`).digest().readUInt32LE(0);
  expect(ggsl(["watermark", "seed", "--key-file", secret]).stdout).toBe(`${seedOf("")}\n`);
  expect(ggsl(["watermark", "seed", "--key-file", secret, "--label", "2026"]).stdout).toBe(`${seedOf("2026")}\n`);
});

test("marked texts are told from others, and by their key alone", () => {
  const seed = ggsl(["watermark", "seed", "--key-file", secret]).stdout.trim();
  const textOf = (stages: string): string =>
    ggsl(["run", "-e", stages, "--prompt", "And the LORD said unto", "-n", "200", "--ignore-eos", "--backend", "cpu"])
      .stdout;
  const marked = file("marked.txt", textOf(`synthid(${seed}) |> dist(1)`));
  const plain = file("plain.txt", textOf("dist(1)"));
  const found = ggsl(["watermark", "detect", marked, plain, "--key-file", secret, "--model", DEMO_MODEL, "--json"]);
  expect([found.status, found.stderr]).toEqual([0, ""]);
  const [first, second] = JSON.parse(found.stdout) as { file: string; tokens: number; z: number; p: number }[];
  expect([first!.file, first!.z > 4, first!.p < 1e-4]).toEqual([marked, true, true]);
  expect([second!.z < 4, second!.tokens > 150]).toEqual([true, true]);
  const other = ggsl(["watermark", "detect", marked, "--key-file", secret, "--label", "other"]);
  expect(Number(/^\S+ +\d+ +(\S+)/m.exec(other.stdout.split("\n")[1]!.trim())![1])).toBeLessThan(4);
});

test.each([
  ["short", "0011", "is no key: expected 64 hexadecimal digits, found 4; `ggsl watermark key` prints a new one"],
  ["long", "0".repeat(66), "found 66;"],
  ["words", "correct horse battery staple", "found other characters;"],
  ["empty", "", "found 0;"],
])("a key file that is %s is refused, without its content", (name, text, message) => {
  const { status, stderr } = ggsl(["watermark", "seed", "--key-file", file(`${name}.txt`, text)]);
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  if (text !== "") expect(stderr).not.toContain(text);
});

test.each([
  [["seed"], "needs --key-file FILE"],
  [["detect", "--key-file", secret], "needs files of texts"],
  [["key", "x.txt"], "reads no texts"],
  [["find"], "Allowed choices are key, seed, detect"],
])("%j is wrong usage", (args, message) => {
  const { status, stderr } = ggsl(["watermark", ...args]);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});

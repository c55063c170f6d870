/** Texts of strangers become llama.cpp's tokens or are refused, with vocabularies of llama.cpp's repository; the process goes on. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { loadOracle } from "../native/oracle.js";
import { ENDS, pathOf, REAL, REWRITTEN, textOf, UNITS, type Given, type Unit } from "./texts.js";

/** All vocabularies, kinds of characters and lengths: several minutes. */
const FULL = process.env["GGSL_TOKENIZE"] === "1";

interface Opened {
  readonly path: string;
  readonly model: NativeModel;
}

let folder = "";
/** By name; loading takes longer than most texts. */
const opened = new Map<string, Promise<Opened>>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-tokenize-"));
});
afterAll(async () => {
  for (const { model } of await Promise.all(opened.values())) model.dispose();
  rmSync(folder, { recursive: true });
});

function open(given: Given): Promise<Opened> {
  const found = opened.get(nameOf(given)) ?? load(given);
  opened.set(nameOf(given), found);
  return found;
}

async function load(given: Given): Promise<Opened> {
  const path = pathOf(given, folder);
  return { path, model: await loadBinding().loadModel(path, { gpuLayers: 0, vocabOnly: true }) };
}

/** The tokens, or the code of the error. */
function outcome(model: NativeModel, text: string): Int32Array | string {
  try {
    return model.tokenize(text, true, true);
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

const units = Object.keys(UNITS) as Unit[];
const nameOf = ({ file, pre }: Given): string => pre ?? file;
/** One of each kind, and those that a short text of one character ended the process with. */
const SOME = new Set([
  ...["baichuan", "deepseek-llm", "falcon", "gemma-4", "llama-spm", "phi-3", "qwen2"],
  ...["gpt-4o", "tekken", "deepseek-v3", "viking", "superbpe", "exaone-moe", "jais-2"],
]);
const CASES = [...REAL, ...REWRITTEN]
  .filter((given) => FULL || SOME.has(nameOf(given)))
  // each vocabulary with some kinds, so that each kind has some vocabularies
  .map((given, i) => ({ given, units: FULL ? units : units.filter((_, at) => (at + i) % 5 === 0) }))
  .map((one) => [nameOf(one.given), one] as const);

test.each(CASES)("short texts have llama.cpp's tokens: %s", async (_, { given, units: chosen }) => {
  const { path, model } = await open(given);
  const texts = chosen.flatMap((unit) => (FULL ? ENDS : (["1"] as const)).map((end) => textOf(unit, 600, end)));
  // longer than the pieces that are cut
  if (given.pre === undefined) texts.push(...chosen.map((unit) => textOf(unit, 5000)));
  // special tokens inside each other, side by side, and with blanks
  texts.push("</s></s> <s>a \n</s>  <|im_end|><|im_start|> <|endoftext|>\n\n\n\nb<start_of_turn> </ s><unused1>\t\t\t");
  for (const special of [true, false]) {
    const expected = loadOracle().tokenizeReference(path, texts, true, special);
    for (const [i, text] of texts.entries()) {
      const tokens = [...model.tokenize(text, true, special)];
      expect({ text: text.slice(0, 20), tokens }).toEqual({ text: text.slice(0, 20), tokens: [...expected[i]!] });
    }
  }
});

// with 25 KB the stack of the calling thread was at its end
test.each(["gpt-4o", "tekken", "bloom"])("a run of 60 KB has llama.cpp's tokens: %s", async (pre) => {
  const { path, model } = await open({ file: "qwen2", pre });
  const text = textOf("letter", 60_000);
  const [expected] = loadOracle().tokenizeReference(path, [text], true, true);
  expect([...model.tokenize(text, true, true)]).toEqual([...expected!]);
});

test.each<readonly [name: string, given: Given, text: () => string]>([
  ["a run that no stack holds", { file: "qwen2", pre: "gpt-4o" }, () => textOf("letter", 3_000_000)],
  ["as much with blanks between", { file: "qwen2", pre: "exaone-moe" }, () => textOf("words", 3_000_000)],
  ["digits of superbpe", { file: "qwen2", pre: "superbpe" }, () => textOf("digit", 30_000)],
  ["blanks of deepseek-llm", { file: "deepseek-llm" }, () => textOf("blank", 30_000, "1")],
  ["blanks of jais-2", { file: "qwen2", pre: "jais-2" }, () => textOf("blank", 300_000, "1")],
  ["nine megabytes", { file: "llama-spm" }, () => textOf("words", 9_000_000)],
])("what takes too much is refused: %s", async (_, given, text) => {
  const { model } = await open(given);
  expect(outcome(model, text())).toBe("LIMIT_EXCEEDED");
  await expect(model.tokenizeLater(text(), true, true)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  expect(model.tokenize("hello", false, false).length).toBeGreaterThan(0);
});

test("what took a square of the length takes none", async () => {
  const { model } = await open({ file: "llama-spm" });
  const [bos, eos] = [1, 2];
  // llama.cpp alone takes 20 seconds and more for each
  const lines = model.tokenize("\n".repeat(480_000), true, true);
  expect([lines.length, ...lines.subarray(0, 3)]).toEqual([480_002, bos, 29871, 13]);
  expect(lines.subarray(2).every((token) => token === 13)).toBe(true);
  const ends = model.tokenize("</s>".repeat(200_000), true, true);
  expect([ends.length, ends[0]]).toEqual([200_001, bos]);
  expect(ends.subarray(1).every((token) => token === eos)).toBe(true);
});

test("a short text does not wait for a long one, and too many bytes for the tokens are refused", async () => {
  const { model } = await open({ file: "falcon" });
  const order: string[] = [];
  const long = model.tokenizeLater("a".repeat(200_000), true, true).then(() => order.push("long"));
  const short = model.tokenizeLater("hello", true, true).then(() => order.push("short"));
  await Promise.all([long, short]);
  expect(order).toEqual(["short", "long"]);
  await expect(model.tokenizeLater("a".repeat(200_000), true, true, 10)).rejects.toMatchObject({
    code: "CONTEXT_FULL",
    message: expect.stringMatching(
      /^the text has 200000 bytes, at most \d+ are allowed: 10 tokens of at most \d+ bytes/,
    ),
  });
});

if (FULL)
  test.each(CASES)("long texts become tokens or are refused: %s", async (_, { given, units: chosen }) => {
    const { path, model } = await open(given);
    for (const bytes of [30_000, 300_000, 3_000_000])
      for (const unit of chosen) {
        const text = textOf(unit, bytes);
        const found = outcome(model, text);
        if (typeof found === "string") expect([unit, bytes, found]).toEqual([unit, bytes, "LIMIT_EXCEEDED"]);
        // longer ones take llama.cpp alone minutes
        else if (bytes === 30_000) {
          const [expected] = loadOracle().tokenizeReference(path, [text], true, true);
          expect(Buffer.compare(Buffer.from(found.buffer), Buffer.from(expected!.buffer))).toBe(0);
        }
      }
  });

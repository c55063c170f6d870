/** Texts of strangers become llama.cpp's tokens or are refused, with vocabularies of llama.cpp's repository; the process goes on. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NativeModel } from "../../runtime/native/binding.js";
import { loadBinding } from "../../runtime/native/loader.js";
import { loadOracle } from "../native/oracle.js";
import { ENDS, pathOf, REAL, REWRITTEN, textOf, UNITS, type Given, type Unit } from "./texts.js";

/** All of them, as `npm run campaign:tokenize` has it: some minutes. */
const FULL = process.env["GGSL_TOKENIZE"] === "1";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-tokenize-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const open = (given: Given): Promise<NativeModel> =>
  loadBinding().loadModel(pathOf(given, folder), { gpuLayers: 0, vocabOnly: true });

/** The tokens, or the code of the error. */
function outcome(model: NativeModel, text: string): Int32Array | string {
  try {
    return model.tokenize(text, true, true);
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

const units = Object.keys(UNITS) as Unit[];
const all: readonly Given[] = [...REAL, ...REWRITTEN];
/** Each vocabulary with some units, so that each unit has some vocabularies. */
const CASES = all.map((given, i) => ({ given, units: FULL ? units : units.filter((_, at) => (at + i) % 6 === 0) }));
const named = CASES.map((one) => [one.given.pre ?? one.given.file, one] as const);

test.each(named)("short texts have llama.cpp's tokens: %s", async (_, { given, units: chosen }) => {
  const path = pathOf(given, folder);
  const model = await open(given);
  const texts = chosen.flatMap((unit) => (FULL ? ENDS : (["", "1"] as const)).map((end) => textOf(unit, 600, end)));
  // longer than the pieces that are cut
  if (given.pre === undefined) texts.push(...chosen.map((unit) => textOf(unit, 5000)));
  const expected = loadOracle().tokenizeReference(path, texts, true, true);
  for (const [i, text] of texts.entries())
    expect({ text: text.slice(0, 20), tokens: [...model.tokenize(text, true, true)] }).toEqual({
      text: text.slice(0, 20),
      tokens: [...expected[i]!],
    });
  model.dispose();
});

describe("long texts", () => {
  const long = FULL ? [30_000, 300_000, 3_000_000] : [300_000];
  /** Those of which 25 KB ended the process, and one of each other kind. */
  const some = new Set([
    "gpt-4o",
    "tekken",
    "deepseek-v3",
    "bloom",
    "falcon",
    "deepseek-coder",
    "llama-spm",
    "gemma-4",
  ]);
  const chosen = FULL ? named : named.filter(([name]) => some.has(name));
  test.each(chosen)("have llama.cpp's tokens or are refused: %s", async (_, { given, units: given_units }) => {
    const path = pathOf(given, folder);
    const model = await open(given);
    const few: readonly Unit[] = ["letter"];
    for (const bytes of long)
      for (const unit of FULL ? given_units : few) {
        const text = textOf(unit, bytes);
        const found = outcome(model, text);
        if (typeof found === "string") expect([unit, bytes, found]).toEqual([unit, bytes, "LIMIT_EXCEEDED"]);
        // llama.cpp takes minutes for some of the longest
        else if (bytes < 100_000 || !FULL) {
          const [expected] = loadOracle().tokenizeReference(path, [text], true, true);
          expect(Buffer.compare(Buffer.from(found.buffer), Buffer.from(expected!.buffer))).toBe(0);
        }
      }
    model.dispose();
  });
});

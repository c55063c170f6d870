/** Long texts become tokens in WebAssembly as they do natively, or are refused; the module goes on. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { openLlama } from "../../runtime/backends/wasm/llama/binding.js";
import { loadLlama } from "../../runtime/backends/wasm/llama/loader.js";
import { DEMO_MODEL } from "../model/demo.js";
import { loadOracle } from "../native/oracle.js";
import { textOf, type Unit } from "../tokenize/texts.js";
import { llamaTest } from "./llamaTest.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-wasm-tokenize-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The tokens, or the code of the error. */
function outcome(model: NativeModel, text: string): readonly number[] | string {
  try {
    return [...model.tokenize(text, true, true)];
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

const UNITS: readonly Unit[] = ["letter", "digit", "blank", "newline", "han", "words", "end of text"];

// ways to divide texts into words that a long run of one character is hard on
for (const pre of ["gpt-4o", "deepseek-v3", "superbpe"])
  llamaTest(`texts as ${pre} divides them`, async () => {
    const path = join(folder, `${pre}.gguf`);
    loadOracle().rewriteModel(DEMO_MODEL, path, { "tokenizer.ggml.pre": pre }, false);
    const native = await loadBinding().loadModel(path, { gpuLayers: 0, vocabOnly: true });
    const { native: wasm } = openLlama(await loadLlama(), readFileSync(path));
    const refused: string[] = [];
    for (const unit of UNITS) {
      const short = textOf(unit, 600, "1");
      expect([unit, outcome(wasm, short)]).toEqual([unit, outcome(native, short)]);
      for (const bytes of unit === "letter" ? [30_000, 300_000] : [30_000]) {
        const text = textOf(unit, bytes, "1");
        const found = outcome(wasm, text);
        const expected = outcome(native, text);
        // the regular expressions of this C++ library give up earlier
        if (found === "LIMIT_EXCEEDED") refused.push(`${unit} ${bytes}`);
        else expect([unit, bytes, found]).toEqual([unit, bytes, expected]);
        expect(outcome(wasm, "hello")).toEqual(outcome(native, "hello"));
      }
    }
    expect(refused.length).toBeLessThan(UNITS.length);
    await expect(wasm.tokenizeLater("a".repeat(9_000_000), true, true)).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
    });
    wasm.dispose();
    native.dispose();
  });

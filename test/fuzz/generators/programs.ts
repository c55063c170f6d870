/** Damaged programs: those of the standard library, the examples, the documentation and the tests, mutated and mixed. */
import * as fc from "fast-check";
import { docBlocks, programFiles, readSource } from "../../syntax/corpus.js";
import { defineGenerator } from "../core/generator.js";
import { shorterTexts } from "../core/shrink.js";
import { edits, mutated } from "./mutate.js";
import { runProgram } from "./program.js";

export const TEXTS = [...programFiles().map(readSource), ...docBlocks()].map(({ text }) => text);

const texts = fc.constantFrom(...TEXTS);

export const programTexts: fc.Arbitrary<string> = fc
  .tuple(texts, texts, edits)
  .map(([text, other, all]) => mutated(text, other, all));

export const programs = defineGenerator<string>({
  name: "programs",
  doc: "programs of this project with random edits: checked, formatted, compiled, run",
  cases: programTexts,
  // it is checked, formatted twice, and up to three chains are compiled and run
  seconds: 3,
  run: (text) => runProgram(text),
  smaller: shorterTexts,
  show: (text) => ({ ending: "ggsl", text }),
});

/** The form of a standard sampler's file: what is read from it, that its example has an effect, and which files are refused. */
import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { checkProgram } from "../../compiler/driver.js";
import { stdEntry } from "../../compiler/std/entry.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { createEvaluator, type Evaluation } from "../../runtime/chain/evaluate.js";
import { makeContext } from "../parity/context.js";
import { makeLogits } from "../parity/logits.js";

const SIZE = 300;
const STEPS = 8;
/** Opens the block of `thinking_budget`'s example. */
const OPENING = 1;
/** A line, and the same again, for the example of `no_repeat_line`. */
const LINES = [2, 3, OPENING, 2, 3];
/** Letters, and digits. */
const TEXTS = Array.from({ length: SIZE }, (_, i) =>
  i % 2 === 0 ? `t${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}` : String(i),
);
/** Does not change the table. */
const NOTHING = "temp(1)";

describe.each(STD_SAMPLERS)("$name", ({ name, example, picks, guides, actsAfterPick }) => {
  test("its file has no warning", () => {
    const path = `compiler/std/${name}.ggsl`;
    expect(checkProgram({ name: path, text: readFileSync(path, "utf8") })).toEqual([]);
  });

  test("its example picks a token, changes the table, or ends a text", () => {
    const logits = makeLogits({ shape: "longTail", vocabSize: SIZE, seed: 1, dropped: 0 });
    const { history: loop, bias } = makeContext({ text: "loop", biases: 8, seed: 2 }, SIZE);
    const history = [OPENING, ...(name === "no_repeat_line" ? LINES : loop)];
    const other = makeLogits({ shape: "longTail", vocabSize: SIZE, seed: 2, dropped: 0 });
    const inputs = Object.fromEntries(guides.map((guide) => [guide, other]));
    const options = { backend: "reference", history, feed: { bias, inputs, vocabulary: TEXTS } } as const;
    const stepsOf = (chain: string): Evaluation[] => {
      const { rowsGraph } = compilePipeline(chain);
      using evaluator = createEvaluator(rowsGraph, SIZE, options);
      return Array.from({ length: STEPS }, () => {
        // as where the text was taken back
        if (rowsGraph.phrases) evaluator.reject([OPENING, OPENING + 1]);
        const step = evaluator.evaluate(logits);
        evaluator.accept(step.token ?? step.candidates[0]!.token);
        return step;
      });
    };
    const steps = stepsOf(example);
    expect(steps.filter(({ token }) => (token === null) === (picks !== undefined))).toEqual([]);
    if (picks) return;
    if (actsAfterPick) {
      // with the same logits, the same token follows
      expect(stepsOf(`${example} |> greedy()`).flatMap(({ stop = [] }) => stop)).not.toEqual([]);
      return;
    }
    expect(steps.map(({ candidates }) => candidates)).not.toEqual(stepsOf(NOTHING).map(({ candidates }) => candidates));
  });
});

const DOC = "/// Halve all.\n/// Source: this test.\n";
const SAMPLER = `${DOC}sampler half() {\n  logit /= 2\n}\n`;
const EXAMPLE = "chain example() = half()\n";
const FORM = "expected `chain example() = half(...)` after the sampler, and the tests after the chain";

test("the stored text of a file ends at its example", () => {
  const { text, example } = stdEntry(
    "half",
    `${SAMPLER}\n${EXAMPLE}\ntest "a" { logits [1] run half() expect kept [0] }\n`,
  );
  expect([text, example]).toEqual([`${SAMPLER}\n`, "half()"]);
});

test.each<[fault: string, text: string, message: string]>([
  ["another name", SAMPLER.replace("half", "third") + EXAMPLE, "expected the sampler `half`"],
  ["no example", SAMPLER, FORM],
  ["a chain of another name", `${SAMPLER}chain usual() = half()\n`, FORM],
  ["an example with a parameter", `${SAMPLER}chain example(a: f32 = 1) = half()\n`, FORM],
  ["an example of two stages", `${SAMPLER}chain example() = half() |> half()\n`, FORM],
  ["an example of llama.cpp's sampler", `${SAMPLER}chain example() = host half()\n`, FORM],
  ["an example before the sampler", EXAMPLE + SAMPLER, FORM],
  [
    "no doc comment",
    `sampler half() {\n}\n${EXAMPLE}`,
    "expected a doc comment of `half` that ends with `Source: ...`",
  ],
  [
    "no source",
    `/// Halve all.\n${SAMPLER.slice(DOC.length)}${EXAMPLE}`,
    "expected a doc comment of `half` that ends with `Source: ...`",
  ],
  [
    "only a source",
    `/// Source: this.\n${SAMPLER.slice(DOC.length)}${EXAMPLE}`,
    "expected a doc comment of `half` that ends with `Source: ...`",
  ],
  ["a fault", "sampler half( {", "line 1: unexpected `{`"],
])("%s is refused", (_, text, message) => {
  expect(() => stdEntry("half", text)).toThrow(message);
});

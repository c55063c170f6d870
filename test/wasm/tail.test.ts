/** llama.cpp's own CPU samplers in WebAssembly, compared with the native ones. */
import { afterAll, beforeAll, describe, expect } from "@jest/globals";
import { readFileSync } from "node:fs";
import { loadModel, type Model } from "../../runtime/models/model.js";
import type { NativeTailStage, TailResult, ModelBinding, NativeTail } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { openLlama, type LlamaBinding } from "../../runtime/backends/wasm/llama/binding.js";
import { loadLlama } from "../../runtime/backends/wasm/llama/loader.js";
import { thrownBy } from "../native/batches.js";
import { DEMO_MODEL } from "../model/demo.js";
import { allRows, EVERY, randomLogits, randomNumbers } from "../native/tailStages.js";
import { isBuilt, llamaTest } from "./llamaTest.js";

let wasm: LlamaBinding;
let native: LlamaBinding;
let model: Model;
beforeAll(async () => {
  if (!isBuilt) return;
  wasm = openLlama(await loadLlama(), readFileSync(DEMO_MODEL));
  native = { binding: loadBinding(), native: await loadBinding().loadModel(DEMO_MODEL, {}) };
  model = await loadModel(DEMO_MODEL, { backend: "cpu" });
});
afterAll(() => {
  if (!isBuilt) return;
  for (const { native: one } of [wasm, native]) one.dispose();
  model.dispose();
});

/** The C libraries' `log` and `exp` differ in the last place. */
function expectSame(found: TailResult, expected: TailResult): void {
  expect([found.tokens, found.selected]).toEqual([expected.tokens, expected.selected]);
  for (const name of ["logits", "probs"] as const) {
    expect(found[name]).toHaveLength(expected[name].length);
    expect(Math.max(0, ...found[name].map((x, i) => Math.abs(x - expected[name][i]!)))).toBeLessThan(1e-5);
  }
}

describe("rows, and draws", () => {
  for (const stage of EVERY)
    llamaTest(`${stage.name} leaves and picks the native ones`, () => {
      const [chain, expected] = [new wasm.binding.Tail([stage]), new native.binding.Tail([stage])];
      const random = randomNumbers(11);
      for (let step = 0; step < 20; step++) {
        const rows = allRows(randomLogits(300, random));
        const result = expected.apply(rows);
        expectSame(chain.apply(rows), result);
        const token = result.selected >= 0 ? result.selected : Math.floor(random() * 8);
        for (const each of [chain, expected]) each.accept(token);
      }
      chain.dispose();
    });
});

const TAIL: readonly NativeTailStage[] = [
  { name: "penalties", last_n: 64, repeat: 1.2 },
  { name: "dry", multiplier: 0.8, last_n: 64 },
  { name: "logit_bias", biases: [[5, -Infinity]] },
  { name: "top_k", k: 40 },
  { name: "temp", t: 0.8 },
  { name: "dist", seed: 42 },
];

llamaTest(
  "on the logits of the demo model a tail picks the native tokens, and so do a clone and a reset chain",
  async () => {
    const [chain, expected] = [wasm, native].map(({ binding, native: of }) => new binding.Tail(TAIL, of)) as [
      NativeTail,
      NativeTail,
    ];
    let text = Int32Array.from(model.tokenize("In the beginning"));
    for (const each of [chain, expected]) each.acceptPrompt(text);
    const given: Float32Array[] = [];
    const picked: number[] = [];
    for (let step = 0; step < 30; step++) {
      const rows = allRows(Float32Array.from(await model.logits(text)));
      given.push(rows.logits);
      const copy = chain.clone();
      const result = expected.apply(rows);
      for (const each of [chain, copy]) expectSame(each.apply(rows), result);
      copy.dispose();
      for (const each of [chain, expected]) each.accept(result.selected);
      picked.push(result.selected);
      text = Int32Array.of(...text, result.selected);
    }
    expect(new Set(picked).size).toBeGreaterThan(10);
    chain.reset();
    chain.acceptPrompt(text.subarray(0, text.length - picked.length));
    const again = given.map((logits) => {
      const { selected } = chain.apply(allRows(logits));
      chain.accept(selected);
      return selected;
    });
    expect(again).toEqual(picked);
  },
);

llamaTest("a grammar in a tail leaves what it accepts, and refuses other tokens", () => {
  const stages: NativeTailStage[] = [{ name: "grammar", text: 'root ::= "the " [a-z]+' }, { name: "greedy" }];
  const rows = allRows(randomLogits(2048, randomNumbers(5)));
  const outcomes = [wasm, native].map(({ binding, native: of }) => {
    const chain = new binding.Tail(stages, of);
    const { tokens, selected } = chain.apply(rows);
    const refused = thrownBy(() => chain.accept(0));
    chain.accept(selected);
    return [[...tokens], selected, refused, chain.apply(rows).selected];
  });
  expect(outcomes[0]).toEqual(outcomes[1]);
  expect(outcomes[0]![2]).toBe("INVALID_ARGUMENT: the grammar does not accept token 0 here");
});

const REFUSED: readonly unknown[] = [
  {},
  [null],
  [{ k: 1 }],
  [{ name: "top_q" }],
  [{ name: "top_k", p: 1 }],
  [{ name: "top_k", k: 1.5 }],
  [{ name: "top_p", p: "high" }],
  [{ name: "top_p", p: NaN }],
  [{ name: "temp", t: null }],
  [{ name: "temp", t: true }],
  [{ name: "temp", t: {} }],
  [{ name: "dry", multiplier: 1 }],
  [{ name: "dry", breakers: ["a", [1]] }],
  [{ name: "logit_bias", biases: [[1, [2, [3]]]] }],
  [{ name: "logit_bias", biases: new Array(2 ** 20 + 1).fill(0) }],
  [{ name: "grammar", text: 'root ::= "a"' }],
  [{ name: "dist" }, { name: "temp" }],
];

llamaTest("what is no chain or no rows is refused in the native words", () => {
  const wordsOf = ({ Tail }: ModelBinding): string[] => {
    const empty = new Tail([]);
    const gone = new Tail([]);
    gone.dispose();
    gone.dispose();
    const rows = (tokens: number[], logits: number[]) => ({
      tokens: Int32Array.from(tokens),
      logits: Float32Array.from(logits),
    });
    return [
      ...REFUSED.map((stages) => thrownBy(() => new Tail(stages as never))),
      thrownBy(() => new Tail([], {} as never)),
      thrownBy(() => empty.apply(rows([], []))),
      thrownBy(() => empty.apply(rows([1, 2], [1]))),
      thrownBy(() => empty.apply(rows([-1], [1]))),
      thrownBy(() => empty.apply(rows([7], [NaN]))),
      thrownBy(() => empty.apply({ ...rows([7], [1]), tokens: [7] } as never)),
      thrownBy(() => empty.apply({ ...rows([7], [1]), logits: [1] } as never)),
      thrownBy(() => empty.accept(-1)),
      thrownBy(() => gone.apply(rows([1], [1]))),
    ];
  };
  const words = wordsOf(wasm.binding);
  expect(words).toEqual(wordsOf(native.binding));
  expect(words.filter((text) => !/^(INVALID_ARGUMENT|INVALID_LOGITS|NO_CANDIDATE|DISPOSED): ./.test(text))).toEqual([]);
});

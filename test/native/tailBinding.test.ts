import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { TAIL_SAMPLERS } from "../../compiler/llama/samplers.js";
import type { NativeTailStage, TailResult, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { thrownBy } from "./batches.js";
import { DEMO_MODEL } from "../model/demo.js";
import { allRows, EVERY, randomLogits, randomNumbers } from "./tailStages.js";
import { loadOracle, type LlamaResult } from "./oracle.js";

const { Tail } = loadBinding();
let model: NativeModel;

beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, {});
});

afterAll(() => model.dispose());

function finiteRows({ tokens, logits, selected }: LlamaResult | TailResult) {
  const left = [...tokens.keys()].filter((i) => logits[i] !== -Infinity);
  return { tokens: left.map((i) => tokens[i]), logits: left.map((i) => logits[i]), selected };
}

test.each(EVERY.map((stage) => [stage.name, stage] as const))("%s does what llama.cpp's does", (_, stage) => {
  const chain = new Tail([stage]);
  const oracle = new (loadOracle().LlamaChain)([stage]);
  const random = randomNumbers(11);
  for (let step = 0; step < 20; step++) {
    const logits = randomLogits(300, random);
    const result = chain.apply(allRows(logits));
    expect(finiteRows(result)).toEqual(finiteRows(oracle.apply(logits)));
    expect(result.probs.reduce((a, b) => a + b)).toBeCloseTo(1, 5);
    const token = result.selected >= 0 ? result.selected : Math.floor(random() * 8);
    chain.accept(token);
    oracle.accept(token);
  }
});

test("the stages and parameters are those of the compiler", () => {
  expect(Object.keys(TAIL_SAMPLERS).sort()).toEqual(
    [...EVERY.map(({ name }) => name), "grammar", "infill"].filter((name) => name in TAIL_SAMPLERS).sort(),
  );
  for (const [name, { params, picks }] of Object.entries(TAIL_SAMPLERS)) {
    const given = Object.entries(params).map(([key, p]) => [key, p.default ?? 'root ::= "a"']);
    const stage = { name, ...Object.fromEntries(given) } as NativeTailStage;
    const { selected } = new Tail([stage], model).apply(allRows(new Float32Array(2048)));
    expect([name, selected >= 0]).toEqual([name, picks === true]);
    if (name !== "grammar") {
      const named = new Tail([{ name } as NativeTailStage], model).apply(allRows(new Float32Array(2048)));
      if (!("seed" in params))
        expect([name, named.logits]).toEqual([
          name,
          new Tail([stage], model).apply(allRows(new Float32Array(2048))).logits,
        ]);
    }
  }
});

test.each<[message: string, stage: object | null, withModel?: true]>([
  ['unknown llama.cpp sampler "top_q": expected one of greedy, dist', { name: "top_q" }],
  ["stage: expected an object", null],
  ["stage: name: expected a string", { k: 1 }],
  ["top_k has no parameter p; it has: k", { name: "top_k", p: 1 }],
  ["top_k: k: expected an integer from -2147483648 to 2147483647, found 1.5", { name: "top_k", k: 1.5 }],
  ["top_p: p: expected a finite number, found nan", { name: "top_p", p: NaN }],
  ["top_p: p: expected a finite number, found 1e+39", { name: "top_p", p: 1e39 }],
  ['top_p: p: expected a finite number, found "high"', { name: "top_p", p: "high" }],
  ["top_p: min_keep: expected an integer from 0 to 2147483647, found -1", { name: "top_p", min_keep: -1 }],
  ["temp: t: expected a finite number, found null", { name: "temp", t: null }],
  ["temp: t: expected a finite number, found a boolean", { name: "temp", t: true }],
  ['dist: seed: expected "random" or an integer from 0 to 4294967295, found -1', { name: "dist", seed: -1 }],
  ["mirostat: m: expected an integer from 1", { name: "mirostat", m: 0, n_vocab: 9 }],
  ["mirostat: its estimate (or the parameter n_vocab) needs a model's vocabulary", { name: "mirostat" }],
  ["penalties: repeat: expected a number above 0, found 0", { name: "penalties", repeat: 0 }],
  ["penalties: last_n: expected an integer", { name: "penalties", repeat: 2, last_n: 2 ** 30 }],
  ["dry: finding the tokens of its breakers needs a model's vocabulary", { name: "dry", multiplier: 1 }],
  ["dry: breakers: expected a list of texts", { name: "dry", breakers: ["a", [1]] }],
  ["dry: breakers: expected a list of texts", { name: "dry", breakers: [""] }],
  ["dry: breakers: expected tokens from 0 to 2047, found 2048", { name: "dry", breakers: [[2048]] }, true],
  ["logit_bias: biases: expected a list of [token, value] pairs", { name: "logit_bias", biases: [1, 2] }],
  ["logit_bias: biases: expected values that are finite or -inf", { name: "logit_bias", biases: [[1, Infinity]] }],
  ["logit_bias: biases: expected tokens from 0 to 2147483646, found -1", { name: "logit_bias", biases: [[-1, 1]] }],
  ["infill: telling text from end of text needs a model's vocabulary", { name: "infill" }],
  ["grammar: a grammar needs a model's vocabulary", { name: "grammar", text: 'root ::= "a"' }],
  ["grammar: text: expected a text, found nothing", { name: "grammar" }, true],
  [
    'the grammar does not parse: line 2: expecting ::= at "= b',
    { name: "grammar", text: 'root ::= "a"\nno = b' },
    true,
  ],
  ['the grammar has no start rule "start"', { name: "grammar", text: 'root ::= "a"', root: "start" }, true],
])("refuses: %s", (...[message, stage, withModel]) => {
  const thrown = thrownBy(() => new Tail([stage as never], withModel && model));
  expect(thrown).toMatch(/^INVALID_ARGUMENT: /);
  expect(thrown).toContain(message);
});

test("what is no chain, no model or no rows is refused", () => {
  expect(thrownBy(() => new Tail({} as never))).toBe("INVALID_ARGUMENT: stages: expected an array of objects");
  expect(thrownBy(() => new Tail([], {} as never))).toBe("INVALID_ARGUMENT: model: expected a Model");
  expect(thrownBy(() => new Tail([{ name: "dist" }, { name: "temp" }]))).toContain("no stage can follow");
  const deep: unknown[] = [];
  deep.push(deep);
  expect(thrownBy(() => new Tail([{ name: "logit_bias", biases: deep } as never]))).toMatch(/^INVALID_ARGUMENT/);

  const chain = new Tail([{ name: "dist", seed: 1 }]);
  const apply = (tokens: number[], logits: number[], of = chain): string =>
    thrownBy(() => of.apply({ tokens: Int32Array.from(tokens), logits: Float32Array.from(logits) }));
  expect(apply([1], [1])).toBe("no error");
  expect(apply([], [])).toBe("NO_CANDIDATE: no token is left in the rows given");
  expect(apply([1, 2], [-Infinity, -Infinity])).toMatch(/^NO_CANDIDATE/);
  expect(apply([1, 2], [1])).toBe("INVALID_ARGUMENT: 2 tokens for 1 logits");
  expect(apply([-1], [1])).toMatch(/^INVALID_ARGUMENT: token: expected 0/);
  expect(apply([2048], [1], new Tail([], model))).toMatch(/^INVALID_ARGUMENT: token: expected 0 to 2047/);
  expect(apply([7], [NaN])).toBe("INVALID_LOGITS: the logit of token 7 is NaN in the rows given");
  expect(apply([7], [1], new Tail([{ name: "temp", t: 1e-45 }]))).toBe(
    "INVALID_LOGITS: the logit of token 7 is +inf after temp",
  );
  expect(apply([7], [1], new Tail([{ name: "logit_bias", biases: [[7, -Infinity]] }]))).toMatch(
    /^NO_CANDIDATE: no token is left after logit_bias/,
  );
  expect(thrownBy(() => chain.apply({ tokens: [1], logits: Float32Array.of(1) } as never))).toBe(
    "INVALID_ARGUMENT: tokens: expected an Int32Array",
  );
  expect(thrownBy(() => chain.accept(-1))).toMatch(/^INVALID_ARGUMENT/);
  expect(thrownBy(() => chain.accept(0.5))).toMatch(/^INVALID_ARGUMENT/);
  chain.dispose();
  chain.dispose();
  expect(apply([1], [1])).toMatch(/^DISPOSED/);
});

test("an empty chain gives the rows and their probabilities", () => {
  const logits = Float32Array.of(Math.log(1), -Infinity, Math.log(3));
  const result = new Tail([]).apply({ tokens: Int32Array.of(5, 6, 7), logits });
  expect([...result.tokens]).toEqual([5, 7]);
  expect(result.probs[0]).toBeCloseTo(0.25, 6);
  expect(result.probs[1]).toBeCloseTo(0.75, 6);
  expect(result.selected).toBe(-1);
});

test.each(EVERY.map((stage) => [stage.name, stage] as const))(
  "a clone of %s continues alike, reset starts over",
  (_, stage) => {
    const chain = new Tail([stage]);
    const random = randomNumbers(3);
    const inputs = Array.from({ length: 6 }, () => allRows(randomLogits(200, random)));
    const run = (of: typeof chain, from: number, to: number) =>
      inputs.slice(from, to).map((rows) => {
        const result = of.apply(rows);
        of.accept(Math.max(result.selected, 1));
        return result;
      });
    const first = run(chain, 0, 3);
    const copy = chain.clone();
    const rest = run(chain, 3, 6);
    expect(run(copy, 3, 6)).toEqual(rest);
    copy.reset();
    expect(run(copy, 0, 6)).toEqual([...first, ...rest]);
  },
);

test("a random seed differs between chains, and is the same in a clone", () => {
  const rows = allRows(new Float32Array(1000));
  const chains = Array.from({ length: 4 }, () => new Tail([{ name: "dist", seed: "random" }]));
  const copy = chains[0]!.clone();
  const picks = chains.map((chain) => chain.apply(rows).selected);
  expect(new Set(picks).size).toBeGreaterThan(1);
  expect(copy.apply(rows).selected).toBe(picks[0]);
});

test("a grammar in a chain keeps what it accepts, and the chain refuses other tokens", () => {
  const [a, b] = ["a", "b"].map((text) => model.tokenize(text, false, false)[0]!) as [number, number];
  const chain = new Tail(
    [
      { name: "penalties", freq: 1 },
      { name: "grammar", text: 'root ::= "ab" "a"?' },
    ],
    model,
  );
  const rows = { tokens: Int32Array.of(b, a), logits: Float32Array.of(2, 1) };
  chain.acceptPrompt(Int32Array.of(b, b)); // no text of the grammar
  expect(chain.apply(rows)).toMatchObject({ tokens: Int32Array.of(a), logits: Float32Array.of(1) });
  expect(thrownBy(() => chain.accept(b))).toBe(`INVALID_ARGUMENT: the grammar does not accept token ${b} here`);
  chain.accept(a);
  expect(chain.apply(rows)).toMatchObject({ tokens: Int32Array.of(b), logits: Float32Array.of(0) });
  chain.accept(b);
  expect(chain.apply(rows)).toMatchObject({ tokens: Int32Array.of(a), logits: Float32Array.of(0) });
  chain.accept(a);
  expect(thrownBy(() => chain.apply(rows))).toBe("NO_CANDIDATE: no token is left after grammar");
  chain.accept(model.info.eos);
});

/** The tokens in which a breaker can begin, each with the tokens of the rest of the breaker, as in llama.cpp's DRY. */
function breakersOf(text: string): number[][] {
  const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
  const { bytes, offsets } = model.pieces();
  const found: number[][] = [];
  for (let token = 0; token < model.info.vocabSize; token++) {
    const piece = latin1(bytes.subarray(offsets[token], offsets[token + 1]));
    if (piece.includes(text)) found.push([token]);
    else
      for (let at = 0; at < piece.length; at++)
        if (text.startsWith(piece.slice(at)))
          found.push([token, ...model.tokenize(text.slice(piece.length - at), false, false)]);
  }
  return found;
}

test("the pieces of the vocabulary determine which tokens break a repetition", () => {
  const dry = { name: "dry", multiplier: 2, base: 1.5, allowed_length: 1, last_n: 200 } as const;
  const texts = ["\n", ":", " the", "ing,"];
  const [byText, byTokens] = [
    new Tail([{ ...dry, breakers: texts }], model),
    new Tail([{ ...dry, breakers: texts.flatMap(breakersOf) }], model),
  ];
  const story = model.tokenize(
    "And the king, saying: the king, saying\nthe king, saying, and seeing the king",
    false,
    false,
  );
  for (const token of [...story, ...story.subarray(3), ...story]) {
    for (const chain of [byText, byTokens]) chain.accept(token);
    const rows = allRows(new Float32Array(model.info.vocabSize));
    expect(byTokens.apply(rows)).toEqual(byText.apply(rows));
  }
  const { bytes, offsets } = model.pieces();
  expect(offsets).toHaveLength(model.info.vocabSize + 1);
  expect(bytes.subarray(offsets[300], offsets[301])).toEqual(model.piece(300, true));
});

test("infill ends the text when all rows are unlikely to be text", () => {
  const chain = new Tail([{ name: "infill" }, { name: "greedy" }], model);
  const logits = new Float32Array(2048);
  logits[model.info.eos] = 20;
  expect(chain.apply(allRows(logits)).selected).toBe(model.info.eos);
});

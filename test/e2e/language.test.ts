/** States, features, grammars and the host tail while the demo model generates, against llama.cpp's own CPU samplers. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import { InputError } from "../../runtime/core/errors.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import type { GenerateOptions } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import type { SavedSequence } from "../../runtime/sequence/savedSequence.js";
import { runTests } from "../../runtime/chain/testing.js";
import { DEMO_MODEL, EXACT, endless, writeExactModel } from "../model/demo.js";
import { bansEnd, expectSameText, referenceOf, textOf } from "../model/ties.js";
import type { LlamaSampler } from "../native/oracle.js";

const PROMPT = "And the LORD said unto";
let model: Model;

let folder: string;
let exactModel: string;

beforeAll(async () => {
  model = await loadModel(DEMO_MODEL);
  folder = mkdtempSync(join(tmpdir(), "ggsl-language-"));
  exactModel = writeExactModel(folder);
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

async function generate(
  chain: Chain,
  options: Omit<GenerateOptions, "chain"> = {},
): Promise<{ tokens: number[]; text: string }> {
  const tokens: number[] = [];
  let text = "";
  for await (const piece of model.generate(PROMPT, { chain, maxTokens: 60, ...options })) {
    tokens.push(piece.token);
    text += piece.text;
  }
  return { tokens, text };
}

const V = 2048;
const CASES: readonly (readonly [string, readonly LlamaSampler[]])[] = [
  [
    "typical(0.8) |> dist(5)",
    [
      { name: "typical", p: 0.8, min_keep: 0 },
      { name: "dist", seed: 5 },
    ],
  ],
  [
    "top_n_sigma(1) |> temp(1.5) |> dist(5)",
    [
      { name: "top_n_sigma", n: 1 },
      { name: "temp", t: 1.5 },
      { name: "dist", seed: 5 },
    ],
  ],
  [
    "top_k(40) |> xtc(0.5, 0.1, seed: 9) |> dist(5)",
    [
      { name: "top_k", k: 40 },
      { name: "xtc", p: 0.5, t: 0.1, min_keep: 0, seed: 9 },
      { name: "dist", seed: 5 },
    ],
  ],
  [
    "temp_ext(1, 0.5) |> dist(5)",
    [
      { name: "temp_ext", t: 1, delta: 0.5, exponent: 1 },
      { name: "dist", seed: 5 },
    ],
  ],
  // a limit below 11 keeps at most 504 rows, and 60 tokens do not raise this one so far; see test/import/commandLines.ts
  ["mirostat(1.3, seed: 5)", [{ name: "mirostat", n_vocab: V, tau: 1.3, eta: 0.1, m: 100, seed: 5 }]],
  ["mirostat_v2(6, 0.2, 5)", [{ name: "mirostat_v2", tau: 6, eta: 0.2, seed: 5 }]],
  ["adaptive_p(0.3, 0.9, 5)", [{ name: "adaptive_p", target: 0.3, decay: 0.9, seed: 5 }]],
  [
    "penalties(32, 1.3, 0.1, 0.2) |> temp(0.7) |> dist(5)",
    [
      { name: "penalties", n_vocab: V, last_n: 32, repeat: 1.3, freq: 0.1, present: 0.2 },
      { name: "temp", t: 0.7 },
      { name: "dist", seed: 5 },
    ],
  ],
  [
    "dry(0.8, last_n: 64, breakers: [11, 45]) |> greedy()",
    [
      {
        name: "dry",
        multiplier: 0.8,
        base: 1.75,
        allowed_length: 2,
        last_n: 64,
        breakers: [Int32Array.of(11), Int32Array.of(45)],
      },
      { name: "greedy" },
    ],
  ],
];

async function expectLlamaText(stages: string, samplers: readonly LlamaSampler[]): Promise<void> {
  const chain = compilePipeline(stages);
  const found = await textOf(model, model.generate(PROMPT, { chain, maxTokens: 60 }));
  const reference = referenceOf(model, { model: DEMO_MODEL, prompt: PROMPT, samplers }, 60);
  expectSameText(found, reference.tokens, reference.picksNear);
}

test.each(CASES)("%s gives llama.cpp's tokens", expectLlamaText);

test("one chain of all the samplers runs in the graph", async () => {
  const all =
    "logit_bias() |> penalties() |> dry(0.5) |> top_n_sigma(2) |> top_k(40) |> typical(0.9) |> top_p(0.9) |> min_p(0.02) |> xtc(0.2) |> temp_ext(0.8, 0.2) |> adaptive_p(0.5)";
  const { tokens } = await generate(compilePipeline(all), endless(model));
  expect(tokens).toHaveLength(60);
});

describe("grammars", () => {
  const GRAMMAR = 'root ::= " " ("Moses" | "Abraham") ", " [a-z ]+ "."';
  const source = `import { temp, dist } from "std"
sampler obey(static grammar: text) { keep allowed(grammar) }
chain c(static grammar: text = "${GRAMMAR.replace(/"/g, '\\"')}") = obey(grammar) |> temp(0.8) |> dist(3)`;
  test("a chain with `allowed` writes what the grammar accepts", async () => {
    const { text } = await generate(compile(source));
    expect(text).toMatch(/^ (Moses|Abraham), [a-z ]+\.?$/);
  });
  test("so does the host tail", async () => {
    const stages = `top_k(2048) |> host grammar("${GRAMMAR.replace(/"/g, '\\"')}") |> host dist(3)`;
    const { text } = await generate(compilePipeline(stages));
    expect(text).toMatch(/^ (Moses|Abraham), [a-z ]+\.?$/);
  });
  test.each(['root ::= "x', ""])("the grammar %p is an error", async (grammar) => {
    const broken = source.replace(GRAMMAR.replace(/"/g, '\\"'), grammar.replace(/"/g, '\\"'));
    await expect(generate(compile(broken))).rejects.toThrow(/the grammar|`gbnf`/);
  });
});

test("the host tail picks llama.cpp's tokens", () =>
  expectLlamaText("top_k(40) |> host temp(0.8) |> host dist(7)", [
    { name: "top_k", k: 40 },
    { name: "temp", t: 0.8 },
    { name: "dist", seed: 7 },
  ]));

describe("what a sequence remembers", () => {
  const chain = compilePipeline("logit_bias() |> penalties(16, 1.2) |> mirostat_v2(3, 0.3, seed: 4)");
  test("saved as JSON and restored, the same text follows", async () => {
    // a text that is read again is one batch, whose logits are those of single tokens but for rounding
    using exact = await loadModel(exactModel, EXACT);
    const samplers: LlamaSampler[] = [
      bansEnd(exact),
      { name: "penalties", n_vocab: V, last_n: 16, repeat: 1.2 },
      { name: "mirostat_v2", tau: 3, eta: 0.3, seed: 4 },
    ];
    const reference = referenceOf(exact, { model: exactModel, isExact: true, prompt: PROMPT, samplers }, 40);
    const first = exact.generate(PROMPT, { chain, maxTokens: 20, ...endless(exact) });
    const begun = await textOf(exact, first);
    const resume = JSON.parse(JSON.stringify(first.save().sequence)) as SavedSequence;
    const rest = exact.generate(first.save().tokens, { chain, maxTokens: 20, resume, ...endless(exact) });
    expectSameText([...begun, ...(await textOf(exact, rest))], reference.tokens, reference.picksNear);
  });
  test("a saved sequence of another chain is refused", () => {
    const resume = { ggsl: 1, chain: "other", params: {}, streams: [], states: [], step: 0, history: [] } as const;
    expect(() => model.generate(PROMPT, { chain, resume })).toThrow(/not a saved sequence/);
  });
  test("a token that is not accepted changes nothing", () => {
    const logits = Float32Array.from({ length: 32 }, (_, i) => Math.sin(i));
    using evaluator = createEvaluator(chain.graph, 32, { history: [1, 2, 3] });
    const first = evaluator.evaluate(logits).token;
    expect(evaluator.evaluate(logits).token).toBe(first);
    evaluator.accept();
    const second = Array.from({ length: 5 }, () => {
      const { token } = evaluator.evaluate(logits);
      evaluator.accept();
      return token;
    });
    using again = createEvaluator(chain.graph, 32, { history: [1, 2, 3] });
    const replayed = Array.from({ length: 6 }, () => {
      const { token } = again.evaluate(logits);
      again.accept();
      return token;
    });
    expect(replayed).toEqual([first, ...second]);
  });
});

describe("columns from outside", () => {
  const source = `import { greedy } from "std"
input green: f32 sparse(4) = 0
input prior: f32
sampler mix() { logit += green + prior }
chain c() = mix() |> greedy()`;
  const graph = compile(source).graph;
  const logits = new Float32Array(8);
  const pick = (inputs: Record<string, readonly number[] | ReadonlyMap<number, number>>): number | null => {
    using evaluator = createEvaluator(graph, 8, { feed: { inputs } });
    return evaluator.evaluate(logits).token;
  };
  const prior = [0, 0, 1, 0, 0, 0, 0, 0];
  test("are added", () => {
    expect(pick({ prior, green: new Map() })).toBe(2);
    expect(pick({ prior, green: new Map([[5, 3]]) })).toBe(5);
  });
  test("must be set, and fit", () => {
    expect(() => pick({ prior })).toThrow("the input `green` was never set");
    expect(() => pick({ prior: [1, 2], green: new Map() })).toThrow(/must have 8 numbers.*found 2/);
    expect(() => pick({ prior, green: new Map([[9, 1]]) })).toThrow(/9 is not a token/);
    expect(() => pick({ prior, green: new Map([[1, NaN]]) })).toThrow(/NaN/);
    expect(() => pick({ prior, green: new Map([0, 1, 2, 3, 4].map((t) => [t, 1])) })).toThrow(
      /at most 4 tokens, found 5/,
    );
  });
  test.each([
    ["i32", 0.5, /the input `x` is 0\.5 for token 1: expected an integer from -16777216 to 16777216/],
    ["i32", 2 ** 24 + 2, /the input `x` is 16777218 for token 1: expected an integer/],
    ["i32", Infinity, /expected an integer/],
    ["bool", 0.5, /the input `x` is 0\.5 for token 1: expected 0 or 1/],
    ["bool", 2, /expected 0 or 1/],
  ] as const)("of type %s refuse %p, dense, sparse and in a test", (type, value, message) => {
    const use = type === "bool" ? "keep not x" : "logit += x";
    const text = (form: string): string =>
      `import { greedy } from "std"\ninput x: ${type}${form}\nsampler s() { ${use} }`;
    const fed = (form: string, x: readonly number[] | ReadonlyMap<number, number>) => (): unknown => {
      const chain = compile(`${text(form)}\nchain c = s() |> greedy()`);
      using evaluator = createEvaluator(chain.graph, 2, { feed: { inputs: { x } } });
      return evaluator.evaluate([1, 2]).token;
    };
    for (const run of [fed("", [0, value]), fed(" sparse(1) = 0", new Map([[1, value]]))]) {
      expect(run).toThrow(InputError);
      expect(run).toThrow(message);
    }
    expect(fed("", [0, 1])()).toBe(type === "bool" ? 0 : 1);
    if (!Number.isFinite(value)) return;
    const source = `${text("")}\ntest "t" { logits [1, 2] input x [0, ${value}] run s() |> greedy() expect token 0 }`;
    const [result] = runTests({ name: "t.ggsl", text: source }, ["reference"]);
    expect(result!.differences[0]!.rows[0]!.found).toMatch(message);
  });
  test.each([99, 4, -1, 0.5, NaN])("a history with the token %p of a vocabulary of 4 is refused", (token) => {
    const { graph } = compilePipeline("penalties(8, 2) |> greedy()");
    const open = (): unknown => createEvaluator(graph, 4, { history: [3, token] });
    expect(open).toThrow(InputError);
    expect(open).toThrow(/`history\[1\]` must be an integer from 0 to/);
  });
});

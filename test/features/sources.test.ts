/** Windows over a part of the text, and windows that change, against plain counting. */
import { describe, expect, test } from "@jest/globals";
import { compileProgram, graphOf } from "../../compiler/driver.js";
import { fromSpec, readSpec, toSpec, writeSpec } from "../../compiler/graph/json.js";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator, type EvaluateBackend } from "../../runtime/chain/evaluate.js";
import { acceptToken, acceptPrompt, featureInputs, startSequence } from "../../runtime/sequence/sequence.js";
import { restoreSequence, saveSequence } from "../../runtime/sequence/savedSequence.js";

const V = 7;
const BACKENDS = ["reference", "cpu", "wasm"] as const;

/** A generator of numbers below `limit`. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

const lastOf = (tokens: readonly number[], n: number): readonly number[] =>
  n < 0 ? tokens : n === 0 ? [] : tokens.slice(-n);

const counts = (tokens: readonly number[]): number[] =>
  Array.from({ length: V }, (_, token) => tokens.filter((t) => t === token).length);

/** For each token, the longest end of `text` that occurs in `source` with the token after it. */
const repeats = (source: readonly number[], text: readonly number[]): number[] =>
  Array.from({ length: V }, (_, token) => {
    let longest = 0;
    source.forEach((next, at) => {
      if (next !== token) return;
      let length = 0;
      while (length < at && length < text.length && source[at - 1 - length] === text[text.length - 1 - length])
        length++;
      longest = Math.max(longest, length);
    });
    return longest;
  });

interface Text {
  readonly prompt: readonly number[];
  readonly generated: readonly number[];
}

const CASES: readonly (readonly [string, (text: Text) => number[]])[] = [
  ["occurrences(3, in: all)", ({ prompt, generated }) => counts(lastOf([...prompt, ...generated], 3))],
  ["occurrences(4, in: generated)", ({ generated }) => counts(lastOf(generated, 4))],
  ["occurrences(-1, in: generated)", ({ generated }) => counts(generated)],
  ["occurrences(2, in: prompt)", ({ prompt }) => counts(lastOf(prompt, 2))],
  ["occurrences(-1, in: prompt)", ({ prompt }) => counts(prompt)],
  ["repeat_len(-1, in: generated)", ({ generated }) => repeats(generated, generated)],
  ["repeat_len(5, [], in: generated)", ({ generated }) => repeats(lastOf(generated, 5), lastOf(generated, 5))],
  [
    "repeat_len(-1, in: prompt)",
    // the text that is continued has the prompt too
    ({ prompt, generated }) => repeats(prompt, [...prompt, ...generated]),
  ],
  [
    "repeat_len(4, in: prompt)",
    ({ prompt, generated }) => repeats(lastOf(prompt, 4), lastOf([...prompt, ...generated], 4)),
  ],
];

const chainOf = (column: string, params = ""): ReturnType<typeof compile> =>
  compile(`sampler s(${params}) { logit = ${column} }
chain c(${params}) = s(${params.split(":")[0]})`);

function logitsOf(column: string, text: Text, backend: EvaluateBackend): number[] {
  using evaluator = createEvaluator(chainOf(column).rowsGraph, V, { backend, history: text.prompt });
  for (const token of text.generated) {
    evaluator.evaluate(new Float32Array(V));
    evaluator.accept(token);
  }
  return evaluator.evaluate(new Float32Array(V)).candidates.map(({ logit }) => logit);
}

describe.each(CASES)("%s", (column, plainly) => {
  test.each(BACKENDS)("on %s", (backend) => {
    const random = generator(column.length);
    for (const [prompt, generated] of [
      [0, 0],
      [5, 0],
      [0, 6],
      [6, 9],
    ] as const) {
      const tokens = (length: number): number[] => Array.from({ length }, () => random(3));
      const text = { prompt: tokens(prompt), generated: tokens(generated) };
      expect([text, logitsOf(column, text, backend)]).toEqual([text, plainly(text)]);
    }
  });
});

describe("a window that changes", () => {
  test.each(BACKENDS)("with a parameter, on %s", (backend) => {
    const chain = chainOf("occurrences(n)", "n: i32 in [0, 4] = 2");
    expect(chain.rowsGraph.features[0]!.form).toMatchObject({ capacity: 4 });
    const history = [1, 1, 2, 1, 3];
    using evaluator = createEvaluator(chain.rowsGraph, V, { backend, history });
    for (const n of [2, 0, 4, 1]) {
      evaluator.setUniforms({ n });
      const logits = evaluator.evaluate(new Float32Array(V)).candidates.map(({ logit }) => logit);
      expect([n, logits]).toEqual([n, counts(lastOf(history, n))]);
    }
  });
  test.each([
    ["n: i32 in [-1, 4]", "V"],
    ["n: i32", "V"],
    ["n: i32 >= 0", "V"],
    ["n: i32 in [0, 0]", 1],
  ])("has the capacity of its range: %s", (param, capacity) => {
    expect(chainOf("occurrences(n)", param).graph.features[0]?.form ?? { capacity }).toMatchObject({ capacity });
  });
  test("with a state, which the optimizer may renumber", () => {
    const chain = compile(`import { greedy } from "std"
sampler unused() { state other: i32 = 5 }
sampler s() {
  state size: i32 = 0
  logit -= 5 * occurrences(size, in: generated)
  pick argmax(logit)
  after pick { size += 1 }
}
chain c() = unused() |> s()`);
    expect(readSpec(writeSpec(chain.graph))).toEqual(chain.graph);
    using evaluator = createEvaluator(chain.graph, 3, { backend: "reference", history: [2] });
    const picks = Array.from({ length: 6 }, () => {
      const { token } = evaluator.evaluate([0, 1, 2]);
      evaluator.accept();
      return token;
    });
    expect(picks).toEqual([2, 1, 0, 2, 1, 0]);
  });
  test("has no node more than a fixed one", () => {
    const ops = (column: string, param = ""): string[] => chainOf(column, param).graph.nodes.map(({ op }) => op);
    expect(ops("1 + occurrences(n)", "n: i32 in [0, 4]")).toEqual(ops("1 + occurrences(4)"));
    expect(ops("1 + occurrences(4, in: prompt)")).toEqual(ops("1 + occurrences(4)"));
  });
});

describe("a window of a standard sampler may change", () => {
  const history = [1, 2, 3, 1, 2, 4, 1, 2];
  const LOGITS = Float32Array.of(1, 2, 3, 4, 3, 2, 1);
  const banned = (tokens: readonly number[]) => (logits: number[]) =>
    logits.map((x, token) => (tokens.includes(token) ? -Infinity : x));
  const lastTokens = (n: number): number[] => counts(lastOf(history, n));
  /** Without breakers: the length of what each token would repeat in the window. */
  const lengths = (n: number): number[] => repeats(lastOf(history, n), lastOf(history, n));
  const STAGES: readonly (readonly [string, (logits: number[], n: number) => number[]])[] = [
    [
      "penalties(n, 2, 0.5, 0.25)",
      (logits, n) => logits.map((x, t) => (lastTokens(n)[t]! > 0 ? x / 2 - 0.5 * lastTokens(n)[t]! - 0.25 : x)),
    ],
    [
      "dry(1, 2, 2, n, [])",
      (logits, n) => logits.map((x, t) => (lengths(n)[t]! >= 2 ? x - 2 ** (lengths(n)[t]! - 2) : x)),
    ],
    [
      "no_repeat_ngram(3, n)",
      (logits, n) => banned(lengths(n).flatMap((length, t) => (length >= 2 ? [t] : [])))(logits),
    ],
    ["no_repeat_ngram(1, n)", (logits, n) => banned(lastOf(history, n))(logits)],
  ];
  describe.each(STAGES)("%s", (stage, plainly) => {
    const name = stage.slice(0, stage.indexOf("("));
    const chain = compile(`import { ${name} } from "std"\nchain c(n: i32 in [0, 8] = 8) = ${stage}`);
    test.each(BACKENDS)("on %s", (backend) => {
      expect(chain.rowsGraph.features[0]!.form).toMatchObject({ capacity: 8 });
      using evaluator = createEvaluator(chain.rowsGraph, V, { backend, history });
      for (const n of [8, 3, 0, 6]) {
        evaluator.setUniforms({ n });
        const found = new Array<number>(V).fill(-Infinity);
        for (const { token, logit } of evaluator.evaluate(LOGITS).candidates) found[token] = logit;
        expect([n, found]).toEqual([n, plainly([...LOGITS], n).map((x) => expect.closeTo(x, 4) as unknown)]);
      }
    });
  });
});

describe("saved and restored", () => {
  const { graph } = chainOf("occurrences(3, in: prompt) + 2 * occurrences(3, in: generated)");
  test("the parts of the text stay apart", () => {
    let sequence = acceptPrompt(startSequence(graph, V), [1, 1, 2, 3]);
    for (const token of [4, 4, 5, 6]) sequence = acceptToken(sequence, token, new Float32Array());
    const saved = JSON.parse(JSON.stringify(saveSequence(sequence))) as ReturnType<typeof saveSequence>;
    expect(featureInputs(restoreSequence(graph, V, saved))).toEqual(featureInputs(sequence));
    const { prompt: _, ...without } = saved;
    expect(() => restoreSequence(graph, V, without)).toThrow(/not a saved sequence/);
  });
});

describe("a text of the calling program", () => {
  const source = [0, 1, 2, 1, 2, 3, 9, 0, 1];
  const CALLS: readonly (readonly [string, (text: readonly number[]) => number[]])[] = [
    ["occurrences(-1, in: source)", () => counts(source)],
    ["occurrences(3, in: source)", () => counts(lastOf(source, 3))],
    ["occurrences(0, in: source)", () => counts([])],
    ["repeat_len(-1, in: source)", (text) => repeats(source, text)],
    ["repeat_len(5, [], in: source)", (text) => repeats(lastOf(source, 5), lastOf(text, 5))],
  ];
  const chainWith = (column: string): ReturnType<typeof compile> =>
    compile(`input source: tokens(9)\nsampler s() { logit = ${column} }\nchain c = s()`);
  const of = (column: string, backend: EvaluateBackend, history: readonly number[]): number[] => {
    const feed = { inputs: { source } };
    using evaluator = createEvaluator(chainWith(column).rowsGraph, V, { backend, history, feed });
    return evaluator.evaluate(new Float32Array(V)).candidates.map(({ logit }) => logit);
  };
  describe.each(CALLS)("%s", (column, plainly) => {
    test.each(BACKENDS)("on %s", (backend) => {
      for (const text of [[], [1], [4, 0, 1], [1, 2, 1, 2], [3, 6, 0]])
        expect([text, of(column, backend, text)]).toEqual([text, plainly(text)]);
    });
  });
  test("may change before each token", () => {
    const inputs: Record<string, number[]> = { source: [1] };
    const options = { backend: "cpu", feed: { inputs } } as const;
    using evaluator = createEvaluator(chainWith("occurrences(-1, in: source)").rowsGraph, V, options);
    const logits = (): number[] => evaluator.evaluate(new Float32Array(V)).candidates.map(({ logit }) => logit);
    expect(logits()).toEqual(counts([1]));
    inputs["source"] = [2, 2, 5];
    expect(logits()).toEqual(counts([2, 2, 5]));
    inputs["source"] = [];
    expect(logits()).toEqual(counts([]));
  });
  test("takes as many places as the smaller of window and text", () => {
    const capacities = ["occurrences(-1, in: source)", "occurrences(4, in: source)", "occurrences(40, in: source)"];
    const forms = capacities.map((column) => chainWith(column).graph.features[0]!);
    expect(forms.map(({ form }) => form)).toMatchObject([{ capacity: 9 }, { capacity: 4 }, { capacity: 9 }]);
    expect(forms[0]!.from).toEqual({ kind: "occurrences", last: -1, in: { input: "source", capacity: 9 } });
  });
  test("has no node more than the text so far, and its spec is read back", () => {
    const { graph } = chainWith("1 + occurrences(4, in: source)");
    expect(graph.nodes.map(({ op }) => op)).toEqual(chainOf("1 + occurrences(4)").graph.nodes.map(({ op }) => op));
    expect(readSpec(writeSpec(graph))).toEqual(graph);
  });
  test("that is missing, too long or no list of tokens is refused", () => {
    const run = (inputs: Record<string, number[] | Map<number, number>>): unknown => {
      const { rowsGraph } = chainWith("occurrences(-1, in: source)");
      using evaluator = createEvaluator(rowsGraph, V, { backend: "reference", feed: { inputs } });
      return evaluator.evaluate(new Float32Array(V));
    };
    expect(() => run({})).toThrow("the input `source` was never set");
    expect(() => run({ source: new Array<number>(10).fill(1) })).toThrow("takes at most 9 tokens, found 10");
    expect(() => run({ source: [1, -1] })).toThrow("-1 is not a token id");
    expect(() => run({ source: [0.5] })).toThrow("0.5 is not a token id");
    expect(() => run({ source: new Map([[1, 1]]) })).toThrow("found pairs");
  });
  test("a declaration comes before the word, also under another name", () => {
    const files: Record<string, string> = {
      "lib.ggsl": "input prompt: tokens(4)\nsampler counting() { logit = occurrences(-1, in: prompt) }",
    };
    const { rowsGraph } = compile(
      `import { prompt as other, counting } from "./lib.ggsl"
sampler both() { logit += 10 * occurrences(-1, in: other) + 100 * occurrences(-1, in: prompt) }
chain c = counting() |> both()`,
      { importer: (path) => ({ name: path, text: files[path.replace("./", "")]! }) },
    );
    const feed = { inputs: { prompt: [2, 2] } };
    using evaluator = createEvaluator(rowsGraph, V, { backend: "reference", history: [1], feed });
    const logits = evaluator.evaluate(new Float32Array(V)).candidates.map(({ logit }) => logit);
    expect(logits).toEqual([0, 100, 22, 0, 0, 0, 0]);
  });
});

test("a spec with another source or window is refused", () => {
  const graph = graphOf(compileProgram("sampler s() { logit = occurrences(3, in: prompt) }\nchain c = s()"));
  const changed = (from: object): unknown => {
    const spec = toSpec(graph);
    return { ...spec, features: spec.features.map((f) => ({ ...f, from: { ...f.from, ...from } })) };
  };
  for (const from of [{ in: "all" }, { in: { input: "x" } }, { in: { input: "x", capacity: 0 } }, { last: 1.5 }])
    expect(() => fromSpec(changed(from))).toThrow(/features\[0\].from/);
  for (const last of [{ param: "x" }, ["add", 1], "steps"])
    expect(() => fromSpec(changed({ last }))).toThrow(/feature 0/);
  expect(() => fromSpec(changed({ in: { input: "x", capacity: 3 }, last: ["add", 1, "step"] }))).not.toThrow();
});

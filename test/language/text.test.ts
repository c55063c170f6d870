/** Numbers about the text so far, against a plain reading of the whole text after every token. */
import { describe, expect, test } from "@jest/globals";
import { compileProgram, graphOf } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { fromSpec, readSpec, writeSpec } from "../../compiler/graph/json.js";
import { printGraph } from "../../compiler/graph/text.js";
import { compile, chainOf } from "../../runtime/chain/chain.js";
import { InputError } from "../../runtime/core/errors.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import type { Vocabulary } from "../../runtime/core/vocabulary.js";
import { loadModel } from "../../runtime/models/model.js";
import {
  acceptPrompt,
  acceptToken,
  startSequence,
  uniformsOf,
  withUniforms,
  type SequenceState,
} from "../../runtime/sequence/sequence.js";
import { restoreSequence, saveSequence, type SavedSequence } from "../../runtime/sequence/savedSequence.js";
import { DEMO_MODEL } from "../model/demo.js";

const BACKENDS = ["reference", "cpu", "wasm"] as const;

/** A generator of numbers below `limit`. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

/** Tokens whose texts overlap in many ways; the last two are halves of one letter, the sixth has no text. */
const PIECES = ["a", "b", "ab", "aba", "ba", "", "\xc3", "\xa9"];
const VOCABULARY: Vocabulary = { pieces: PIECES, tokenize: () => new Int32Array() };
const V = PIECES.length;

const ENDINGS: readonly (string | readonly number[])[] = [
  ...["a", "ab", "abab", "aab", "bb", "é", "aé"],
  ...[[0], [0, 1], [0, 0, 1], [2, 2], [6, 7]],
];

/** One uniform for each number about the text. */
const NUMBERS: readonly string[] = [
  ...[1, 2, 5].map((k) => `last(${k})`),
  ...ENDINGS.flatMap((x) => [`(ends_with(${JSON.stringify(x)}) ? 1 : 0)`, `since(${JSON.stringify(x)})`]),
  ...ENDINGS.map(
    (x, i) => `(inside(${JSON.stringify(x)}, ${JSON.stringify(ENDINGS[(i + 5) % ENDINGS.length])}) ? 1 : 0)`,
  ),
  "prompt_length",
];

/** The same numbers, read from the whole text. */
function plainly(tokens: readonly number[], prompt: number): number[] {
  const endsWith = (end: number, x: string | readonly number[]): boolean => {
    const before = tokens.slice(0, end);
    if (typeof x !== "string") return x.length <= end && x.every((token, i) => token === before[end - x.length + i]);
    return before
      .map((token) => PIECES[token]!)
      .join("")
      .endsWith(Buffer.from(x, "utf8").toString("latin1"));
  };
  const since = (x: string | readonly number[]): number => {
    for (let end = tokens.length; end > 0; end--) if (endsWith(end, x)) return tokens.length - end;
    return 2 ** 24;
  };
  const inside = (open: string | readonly number[], close: string | readonly number[]): boolean => {
    let isOpen = false;
    for (let end = 1; end <= tokens.length; end++)
      if (endsWith(end, close)) isOpen = false;
      else if (endsWith(end, open)) isOpen = true;
    return isOpen;
  };
  return [
    ...[1, 2, 5].map((k) => tokens[tokens.length - k] ?? -1),
    ...ENDINGS.flatMap((x) => [endsWith(tokens.length, x) ? 1 : 0, since(x)]),
    ...ENDINGS.map((x, i) => (inside(x, ENDINGS[(i + 5) % ENDINGS.length]!) ? 1 : 0)),
    prompt,
  ];
}

const SOURCE = `sampler numbers() {
${NUMBERS.map((text) => `  logit += logit * (${text})`).join("\n")}
}
chain c() = numbers()`;
const graph = graphOf(compileProgram(SOURCE, { outputs: ["logits", "probs"] }));

/** The uniforms in the order of `NUMBERS`; each is used once, so the graph keeps that order. */
const numbersOf = (sequence: SequenceState): number[] => [...uniformsOf(sequence)];
const NO_STATES = new Float32Array();

describe("each number is that of the whole text, after every token", () => {
  test.each([1, 2, 3, 4])("text %i", (seed) => {
    const random = generator(seed);
    const prompt = Array.from({ length: seed * 3 }, () => random(V));
    let sequence = acceptPrompt(startSequence(graph, V, { feed: { vocabulary: VOCABULARY } }), prompt);
    const text = [...prompt];
    for (let i = 0; i < 80; i++) {
      expect([text, numbersOf(sequence)]).toEqual([text, plainly(text, prompt.length)]);
      const token = random(V);
      text.push(token);
      sequence = acceptToken(sequence, token, NO_STATES);
    }
  });
  test("an earlier sequence stays as it was", () => {
    const prompt = [0, 1, 0];
    const before = acceptPrompt(startSequence(graph, V, { feed: { vocabulary: VOCABULARY } }), prompt);
    const found = numbersOf(before);
    acceptToken(acceptToken(before, 1, NO_STATES), 0, NO_STATES);
    expect(numbersOf(before)).toEqual(found);
  });
  test("a prompt at once, and its tokens one after another", () => {
    const prompt = [0, 2, 3, 6, 7, 5, 1];
    const start = startSequence(graph, V, { feed: { vocabulary: VOCABULARY } });
    const parts = prompt.reduce((sequence, token) => acceptPrompt(sequence, [token]), start);
    expect(numbersOf(parts)).toEqual(numbersOf(acceptPrompt(start, prompt)));
  });
  test("saved as JSON and restored", () => {
    const feed = { vocabulary: VOCABULARY };
    const random = generator(9);
    let sequence = acceptPrompt(startSequence(graph, V, { feed }), [0, 1, 6]);
    for (let i = 0; i < 30; i++) {
      const saved = JSON.parse(JSON.stringify(saveSequence(sequence))) as SavedSequence;
      const restored = restoreSequence(graph, V, saved, feed);
      const token = random(V);
      sequence = acceptToken(sequence, token, NO_STATES);
      expect(numbersOf(acceptToken(restored, token, NO_STATES))).toEqual(numbersOf(sequence));
    }
  });
  test("saved parts that are missing or too large are refused", () => {
    const feed = { vocabulary: VOCABULARY };
    const saved = saveSequence(startSequence(graph, V, { feed }));
    const [watch, ...rest] = saved.watches!;
    const { watches: _, ...without } = saved;
    const { promptLength: __, ...textless } = saved;
    for (const changed of [
      ...[without, textless, { ...saved, watches: rest }],
      ...[{ matched: 99 }, { since: -1 }, { ending: 5 }, { since: undefined }].map((change) => ({
        ...saved,
        watches: [{ ...watch, ...change }, ...rest],
      })),
    ])
      expect(() => restoreSequence(graph, V, changed as SavedSequence, feed)).toThrow(InputError);
  });
});

describe("they are uniforms", () => {
  /** A chain that uses a number in each place where a uniform may be. */
  const chainWith = (condition: string, number: string, params = ""): Graph =>
    graphOf(
      compileProgram(`sampler s(${params ? "b: bool, x: i32 in [0, 100]" : ""}) {
  state a: i32 = ${number}
  keep not (token == 3 and ${condition})
  if ${condition} { logit /= 2 }
  logit += ${number} > 3 ? 1 : 0
  pick sample(1, ${number})
  after pick { a = ${condition} ? a + 1 : ${number} }
}
chain c(${params}) = s(${params ? "b, x" : ""})`),
    );
  const plain = chainWith("b", "x", "b: bool, x: i32 in [0, 100]");
  test.each([
    ["last", "last(2) == 3", "max(last(1), 0)"],
    ["ends_with", 'ends_with("ab")', "(ends_with([1, 2]) ? 1 : 0)"],
    ["since", "since([4]) < 3", 'since(" New")'],
    ["inside", 'inside([4], "b")', '(inside("a", [1, 2]) ? 1 : 0)'],
    ["prompt_length", "prompt_length > 9", "prompt_length"],
  ])("%s has no node, and no input", (_, condition, number) => {
    const found = chainWith(condition, number);
    expect(found.nodes.map((n) => n.op)).toEqual(plain.nodes.map((n) => n.op));
    expect([found.inputs.length, found.features.length]).toEqual([1, 0]);
  });
  test("the name of a uniform is limited, whatever it compares", () => {
    const texts = Array.from({ length: 20 }, (_, i) => `ends_with("${String(i).padStart(1000, "x")}")`);
    // characters that a name shows with six
    const long = texts.slice(0, 3).map((text) => text.replaceAll("x", "\u0001"));
    const found = compileProgram(`sampler s() { keep logit > (${long.join(" or ")} ? 1 : 0) }\nchain c = s()`);
    const lengths = readSpec(writeSpec(graphOf(found))).uniforms.map(({ name }) => name.length);
    expect(Math.max(...lengths)).toBe(10_000);
    const tooLarge = compileProgram(`sampler s() { keep logit > (${texts.join(" or ")} ? 1 : 0) }\nchain c = s()`);
    expect(tooLarge.diagnostics.map((d) => d.code)).toEqual(["E0321"]);
  });
  test("a spec has them as they were written", () => {
    const read = readSpec(writeSpec(graph));
    expect(read).toEqual(graph);
    expect(printGraph(read)).toContain('since("aé")');
    const withLeaf = (leaf: unknown): unknown => ({
      ggsl: 1,
      ...graph,
      uniforms: [{ name: "x", expr: leaf }, ...graph.uniforms.slice(1)],
    });
    for (const leaf of [{ last: 1 }, { ends_with: "x" }, { since: [0] }, "prompt_length"])
      expect(() => fromSpec(withLeaf(leaf))).not.toThrow();
    for (const leaf of [
      ...[{ last: 0 }, { last: 1.5 }, { last: "1" }, { ends_with: "" }, { ends_with: [] }, { since: [-1] }],
      ...[{ since: ["a"] }, { since: "x".repeat(1025) }, { since: 3 }, { last: 1, since: "a" }, "prompt"],
    ])
      expect(() => fromSpec(withLeaf(leaf))).toThrow(/uniform 0/);
  });
});

describe("on each backend", () => {
  test.each(BACKENDS)("bad words and a forced token, on %s", (backend) => {
    const chain = compile(`import { greedy } from "std"
sampler bad() {
  keep not (token == 3 and ends_with([1, 2]))
  if since([0]) >= 3 { keep token == 0 }
}
chain c() = bad() |> greedy()`);
    using evaluator = createEvaluator(chain.graph, 4, { backend, history: [0, 1, 2] });
    const step = (): number | null => {
      const { token } = evaluator.evaluate([0, 1, 2, 3]);
      evaluator.accept();
      return token;
    };
    expect(Array.from({ length: 6 }, step)).toEqual([2, 0, 3, 3, 3, 0]);
  });
  test("the initial value of a state, after the prompt", () => {
    const chain = compile(`sampler s() {
  state left: i32 = prompt_length + last(1)
  logit *= left
}
chain c() = s()`);
    using evaluator = createEvaluator(chain.rowsGraph, 3, { backend: "reference", history: [1, 1, 2] });
    expect(evaluator.evaluate([1, 2, 3]).candidates.map((c) => c.logit)).toEqual([5, 10, 15]);
    expect(evaluator.states).toEqual({ left: 5 });
  });
  test("uniforms that change meanwhile leave the text alone", () => {
    const { graph: g } = compile(`sampler s(t: f32 > 0) { logit *= t * since([1]) }\nchain c(t: f32 > 0 = 1) = s(t)`);
    const sequence = acceptPrompt(startSequence(g, 3), [1, 2, 2]);
    expect([...uniformsOf(withUniforms(sequence, { t: 3 }))]).toEqual([6]);
  });
});

describe("texts need a vocabulary", () => {
  const source = `sampler s() { logit *= since("a") }\nchain c() = s()`;
  test("without one the chain is refused before its first token", () => {
    expect(() => createEvaluator(compile(source).graph, 3, { backend: "reference" })).toThrow(
      /the chain `c` compares the text with "a", which needs a model's vocabulary; without one, give a list of token ids/,
    );
  });
  test("a chain of a spec, with one", () => {
    const chain = chainOf(readSpec(writeSpec(compile(source).graph)));
    using evaluator = createEvaluator(chain.graph, V, {
      backend: "reference",
      history: [3, 1, 1],
      feed: { vocabulary: VOCABULARY },
    });
    expect(evaluator.evaluate(new Float32Array(V).fill(1)).candidates[0]!.logit).toBe(2);
  });
  test("a stop text ends a text of a model", async () => {
    using model = await loadModel(DEMO_MODEL);
    const chain = compile(`import { greedy } from "std"
sampler comma(end: i32) {
  if ends_with(",") { keep token == end }
}
chain c(end: i32) = comma(end) |> greedy()`);
    const plain = compile(`import { greedy } from "std"\nchain c() = greedy()`);
    const textOf = async (pieces: AsyncIterable<{ text: string }>): Promise<string> => {
      let text = "";
      for await (const piece of pieces) text += piece.text;
      return text;
    };
    const prompt = "And the LORD said unto";
    const full = await textOf(model.generate(prompt, { chain: plain, maxTokens: 60 }));
    expect(full).toContain(",");
    const end = model.info.eos;
    const cut = await textOf(model.generate(prompt, { chain, maxTokens: 60, uniforms: { end } }));
    expect(cut).toBe(full.slice(0, full.indexOf(",") + 1));
  });
});

test("programs may declare the names for themselves", () => {
  const { diagnostics } = compileProgram(`const since = 3
sampler last(static last: i32, ends_with: f32) {
  let prompt_length = ends_with + since
  logit += prompt_length * last(last) + since([1])
}
chain ends_with(x: f32 = 1) = last(2, x)`);
  expect(diagnostics).toEqual([]);
});

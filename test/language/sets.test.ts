/** Sets of tokens, against membership computed here. */
import { describe, expect, test } from "@jest/globals";
import { chainOf, compile, type Chain } from "../../runtime/chain/chain.js";
import { createEvaluator, type EvaluateBackend } from "../../runtime/chain/evaluate.js";
import type { GivenVocabulary, Vocabulary } from "../../runtime/core/vocabulary.js";
import { vocabularyFrom } from "../../runtime/core/vocabulary.js";
import { fromSpec, toSpec } from "../../compiler/graph/json.js";
import type { UniformValues } from "../../runtime/sequence/sequence.js";

const TEXTS = ["</s>", "a", "1", "22", " yes", "é", "3x", "\n", "<s>", "no"];
const V = TEXTS.length;
/** The same with what a model says of its tokens. */
const MODEL: Vocabulary = { ...vocabularyFrom(TEXTS), classes: { control: [0, 8], end: [0] } };
const BACKENDS: readonly EvaluateBackend[] = ["reference", "cpu", "wasm"];
const LOGITS = Array.from({ length: V }, (_, i) => Math.sin(i) * 2);

const keepIn = (set: string, not = ""): Chain =>
  compile(`
sampler only() { keep token ${not} in ${set} }
chain c = only()`);

interface Given {
  readonly uniforms?: UniformValues;
  readonly vocabulary?: GivenVocabulary;
  readonly backend?: EvaluateBackend;
  readonly history?: readonly number[];
}

/** The rows that a chain keeps. */
function kept(chain: Chain, { vocabulary = TEXTS, ...options }: Given = {}): number[] {
  using evaluator = createEvaluator(chain.rowsGraph, V, { backend: "reference", ...options, feed: { vocabulary } });
  return evaluator
    .evaluate(LOGITS)
    .candidates.map(({ token }) => token)
    .sort((a, b) => a - b);
}

const where = (is: (text: string, token: number) => boolean): number[] =>
  [...TEXTS.keys()].filter((token) => is(TEXTS[token]!, token));

describe("literals", () => {
  const CASES: readonly [string, (text: string, token: number) => boolean][] = [
    ["tokens(1, 3, 1)", (_, token) => token === 1 || token === 3],
    ['tokens("</s>", " yes")', (text) => text === "</s>" || text === " yes"],
    ["tokens(/^[0-9]+$/)", (text) => /^[0-9]+$/.test(text)],
    ["tokens(/[0-9]/)", (text) => /[0-9]/.test(text)],
    ["tokens(/^.$/)", (text) => /^.$/u.test(text)],
    ["tokens(/\\//)", (text) => text.includes("/")],
    ['tokens(/^\\p{L}$/, "22", 7)', (text, token) => /^\p{L}$/u.test(text) || text === "22" || token === 7],
    ["tokens.control", (_, token) => token === 0 || token === 8],
    ["tokens.end", (_, token) => token === 0],
  ];
  describe.each(BACKENDS)("on %s", (backend) => {
    test.each(CASES)("%s", (set, is) => {
      const given = { backend, vocabulary: MODEL };
      expect(kept(keepIn(set), given)).toEqual(where(is));
      expect(kept(keepIn(set, "not"), given)).toEqual(where((text, token) => !is(text, token)));
    });

    test("the empty set has no token", () => {
      expect(kept(keepIn("tokens()", "not"), { backend })).toEqual(where(() => true));
      // the best row always stays
      expect(kept(keepIn("tokens()"), { backend })).toEqual([LOGITS.indexOf(Math.max(...LOGITS))]);
    });

    test("add to logits", () => {
      const chain = compile(`
sampler add(s: tokens, b: f32) { logit += token in s ? b : -1 }
chain c(s: tokens(4) = tokens("a", 3), b: f32 = 5) = add(s, b) |> add(tokens(/a/), 2)`);
      using evaluator = createEvaluator(chain.rowsGraph, V, { backend, feed: { vocabulary: TEXTS } });
      const expected = (ids: readonly number[], b: number): number[] =>
        LOGITS.map((x, token) => x + (ids.includes(token) ? b : -1) + (TEXTS[token]!.includes("a") ? 2 : -1));
      const found = (): number[] => evaluator.evaluate(LOGITS).candidates.map(({ logit }) => logit);
      const expectLogits = (logits: readonly number[]): void =>
        found().forEach((logit, token) => expect(logit).toBeCloseTo(logits[token]!, 5));
      expectLogits(expected([1, 3], 5));
      evaluator.setUniforms({ s: [9, " yes"], b: 2 });
      expectLogits(expected([9, 4], 2));
      evaluator.setUniforms({ s: [] });
      expectLogits(expected([], 2));
    });
  });
});

describe("sets that can change", () => {
  const chain = compile(`
sampler ban(s: tokens) { keep token not in s }
chain c(banned: tokens(2) = tokens("a")) = ban(banned)`);

  test.each(BACKENDS)("are given with the request, on %s", (backend) => {
    expect(kept(chain, { backend })).toEqual(where((text) => text !== "a"));
    const banned = [2, "22"];
    expect(kept(chain, { backend, uniforms: { banned } })).toEqual(where((text) => text !== "1" && text !== "22"));
    expect(kept(chain, { backend, uniforms: { banned: [] } })).toEqual(where(() => true));
  });

  test("are checked", () => {
    const given =
      (banned: UniformValues[string]): (() => unknown) =>
      () =>
        kept(chain, { uniforms: { banned } });
    expect(given([1, 2, 3])).toThrow("`banned`: `banned` takes at most 2 tokens, found 3");
    expect(given([10])).toThrow("`banned`: 10 is not a token of a vocabulary of 10");
    expect(given([0.5])).toThrow(
      "`uniforms.banned` must be a number, a boolean, a list of token ids and texts, phrases, or a grammar",
    );
    expect(given(3)).toThrow("`banned` is a set of tokens: expected a list of token ids and texts, found 3");
    expect(given(["ab"])).toThrow(
      '`banned`: "ab" is not one token of the vocabulary: no token of the vocabulary begins "b"',
    );
    expect(given(["a1"])).toThrow('`banned`: "a1" is not one token of the vocabulary: it is the tokens 1 "a", 2 "1"');
    expect(() => kept(chain, { uniforms: { other: [1] } })).toThrow(
      "has no uniform `other`: its uniforms are `banned`",
    );
  });
});

describe("static parameters", () => {
  const source = `
sampler only(s: tokens) { keep token in s }
chain c(static permitted: tokens) = only(permitted)`;
  test("are settings", () => {
    expect(kept(compile(source, { set: { permitted: [1, "22"] } }))).toEqual([1, 3]);
    expect(() => compile(source)).toThrow("the static parameter `permitted` has no value");
  });
  test("pass through chains, constants and imports", () => {
    const text = `
import { stop } from "./words.ggsl"
sampler only(static s: tokens, t: tokens) { keep token in s or token in t }
chain inner(static s: tokens = stop, t: tokens(3)) = only(s, t)
chain outer(t: tokens(3) = tokens("no")) = inner(t: t)`;
    const importer = (name: string) => ({ name, text: 'const stop = tokens("</s>", 1)' });
    expect(kept(compile(text, { importer, chain: "outer" }))).toEqual([0, 1, 9]);
    expect(kept(compile(text, { importer, chain: "outer" }), { uniforms: { t: ["é"] } })).toEqual([0, 1, 5]);
  });
});

describe("ids that are known before the graph runs", () => {
  const chain = compile(`
sampler follow(s: tokens, k: i32) {
  state last_one: i32 = 9
  logit += last_one in s ? 10 : 0
  logit += k + 1 not in tokens(/[0-9]/) and step in tokens(0, 1) ? 100 : 0
  pick argmax(token == 2 ? 1 : 0)
  after pick { last_one = picked(token) }
}
chain c(s: tokens(2) = tokens("1"), k: i32 = 1) = follow(s, k)`);
  test.each(BACKENDS)("on %s", (backend) => {
    using evaluator = createEvaluator(chain.rowsGraph, V, { backend, feed: { vocabulary: TEXTS } });
    const added = (): number => {
      const { candidates } = evaluator.evaluate(LOGITS);
      const { logit } = candidates.find(({ token }) => token === 0)!;
      evaluator.accept();
      return Math.round(logit - LOGITS[0]!);
    };
    expect([added(), added(), added()]).toEqual([0, 10, 10]);
    evaluator.setUniforms({ k: 0, s: [] });
    expect(added()).toBe(0);
    using other = createEvaluator(chain.rowsGraph, V, { backend, uniforms: { k: 0 }, feed: { vocabulary: TEXTS } });
    expect(Math.round(other.evaluate(LOGITS).candidates.find(({ token }) => token === 0)!.logit - LOGITS[0]!)).toBe(
      100,
    );
  });
  test("cost no node", () => {
    const { graph } = compile(`
sampler s(a: tokens, x: f32) { logit *= 3 in a ? x : 1 }
chain c(a: tokens(2), x: f32 = 2) = s(a, x)`);
    expect(graph.inputs).toHaveLength(1);
    expect(graph.features).toHaveLength(0);
  });
});

describe("a vocabulary", () => {
  const make =
    (set: string, feed: { vocabulary?: GivenVocabulary }): (() => void) =>
    () =>
      createEvaluator(keepIn(set).graph, V, { backend: "reference", feed }).dispose();
  test("is needed when the chain is made", () => {
    expect(make("tokens(1)", {})).not.toThrow();
    expect(make('tokens("a")', {})).toThrow('the text "a" in a set of tokens needs a vocabulary');
    expect(make("tokens(/a/)", {})).toThrow("the pattern /a/ needs a vocabulary");
    expect(make("tokens.end", {})).toThrow("`tokens.end` needs a vocabulary");
    expect(make("tokens.end", { vocabulary: TEXTS })).toThrow("`tokens.end` needs a model's vocabulary");
  });
  test("has the tokens", () => {
    expect(make('tokens("a1")', { vocabulary: TEXTS })).toThrow('it is the tokens 1 "a", 2 "1"');
    expect(make("tokens(10)", { vocabulary: TEXTS })).toThrow("10 is not a token of a vocabulary of 10");
  });
  test("can have one text twice", () => {
    const pieces = [...TEXTS];
    pieces[9] = "a";
    expect(kept(keepIn('tokens("a")'), { vocabulary: { pieces, tokenize: () => new Int32Array() } })).toEqual([1, 9]);
  });
});

test("one spec serves all vocabularies", () => {
  const chain = keepIn('tokens("a", /^[0-9]+$/, 4)');
  const spec = JSON.parse(JSON.stringify(toSpec(chain.rowsGraph))) as { sets: unknown };
  expect(spec.sets).toEqual([{ of: ["a", { pattern: "^[0-9]+$" }, 4] }]);
  const read = chainOf(fromSpec(spec));
  expect(kept(read)).toEqual([1, 2, 3, 4]);
  expect(kept(read, { vocabulary: [...TEXTS].reverse() })).toEqual([4, 6, 7, 8]);
});

test("a spec's sets are checked", () => {
  const spec =
    (sets: unknown): (() => unknown) =>
    () =>
      fromSpec({ ...(JSON.parse(JSON.stringify(toSpec(keepIn("tokens(1)").graph))) as object), sets });
  expect(spec([{ of: ["a"] }])).not.toThrow();
  expect(spec([])).toThrow("there is no set 0");
  expect(spec([{ of: [{ pattern: "(" }] }])).toThrow("missing closing )");
  expect(spec([{ of: [{ pattern: "a".repeat(1001) }] }])).toThrow("at most 1000 are allowed");
  expect(spec([{ of: [-1] }])).toThrow("token ids, texts, patterns and classes");
  expect(spec([{ of: [{ class: "odd" }] }])).toThrow("token ids, texts, patterns and classes");
  expect(spec([{ of: [], capacity: 4 }])).toThrow("a parameter has a name and a capacity");
  expect(spec([{ of: [], name: "s", capacity: 4 }])).toThrow("its form is not that of set 0");
});

test("the words stay names elsewhere", () => {
  const chain = compile(`
sampler only(tokens: f32, vocab_size: f32) { let end = tokens keep logit >= end * vocab_size }
chain c(tokens: f32 = 1) = only(tokens, 0)`);
  expect(kept(chain)).toEqual(where((_, token) => LOGITS[token]! >= 0));
});

import { describe, expect, test } from "@jest/globals";
import { join } from "node:path";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { fromBytes, textsOf, toBytes, vocabularyFrom } from "../../runtime/core/vocabulary.js";
import { loadModel, loadVocabulary } from "../../runtime/models/model.js";
import { runTests } from "../../runtime/chain/testing.js";
import { DEMO_MODEL } from "../model/file.js";

const ROOT = "build/llama.cpp/models";

describe("a list of texts", () => {
  const vocabulary = vocabularyFrom(["a", "ab", "b", "abc", " ", "é"]);
  const tokens = (text: string): number[] => [...vocabulary.tokenize(toBytes(text))];

  test("cuts a text by the longest match", () => {
    expect(tokens("abcab a")).toEqual([3, 1, 4, 0]);
    expect(tokens("bab")).toEqual([2, 1]);
    expect(tokens("")).toEqual([]);
  });

  test("compares bytes", () => {
    expect(tokens("éa")).toEqual([5, 0]);
    expect(fromBytes(toBytes("é\u{1f600}"))).toBe("é\u{1f600}");
  });

  test("refuses a text with a part that no token has", () =>
    expect(() => tokens("abx")).toThrow('no token of the vocabulary begins "x"'));

  test("must be distinct", () =>
    expect(() => vocabularyFrom(["a", "b", "a"])).toThrow("the tokens 0 and 2 of the vocabulary have the same text"));

  test("serves breakers that are texts", () => {
    const { rowsGraph } = compile(
      'import { dry } from "std"  chain c = dry(multiplier: 1, allowed_length: 1, breakers: ["b"])',
    );
    const penalised = (vocabulary: readonly string[]): number[] => {
      using evaluator = createEvaluator(rowsGraph, 3, { history: [0, 1, 0, 1], feed: { vocabulary } });
      return evaluator
        .evaluate([0, 0, 0])
        .candidates.filter(({ logit }) => logit < 0)
        .map(({ token }) => token);
    };
    expect(penalised(["a", "x", "c"])).toEqual([0]);
    expect(penalised(["a", "b", "c"])).toEqual([]);
  });

  test("has a text for each logit", () => {
    const { graph } = compile('import { greedy } from "std"  chain c = greedy()');
    expect(() => createEvaluator(graph, 3, { feed: { vocabulary: ["a", "b"] } })).toThrow(
      "the vocabulary has the texts of 2 tokens, expected at least 3",
    );
  });
});

describe("a model's file", () => {
  test("gives what the model gives, without its weights", async () => {
    const vocabulary = await loadVocabulary(DEMO_MODEL);
    using model = await loadModel(DEMO_MODEL);
    const texts = textsOf(vocabulary);
    expect(texts).toHaveLength(model.info.vocabSize);
    for (const [token, text] of texts.entries()) expect(fromBytes(text)).toBe(model.textOf(token));
    expect(vocabulary.classes!.end).toContain(model.info.eos);
    const [, ...tokens] = model.tokenize("In the beginning");
    expect([...vocabulary.tokenize("In the beginning")].at(-1)).toBe(tokens.at(-1));
  });

  test("need not have weights", async () => {
    const vocabulary = await loadVocabulary(join(ROOT, "ggml-vocab-llama-spm.gguf"));
    const texts = textsOf(vocabulary);
    expect(texts).toHaveLength(32000);
    // the word with and without a blank are two tokens, although the blank is not in their pieces
    expect(texts.indexOf(" yes")).toBeGreaterThan(0);
    expect(texts.indexOf("yes")).toBeGreaterThan(0);
    expect(texts[2]).toBe("</s>");
    expect(vocabulary.classes).toEqual({ control: [1, 2], end: [2] });
  });

  test("of several kinds", async () => {
    const { classes, texts } = await loadVocabulary(join(ROOT, "ggml-vocab-llama-bpe.gguf"));
    expect(texts!.filter((text) => /^[0-9]+$/.test(text))).toHaveLength(1110);
    expect(classes!.end.map((token) => texts![token])).toContain("<|end_of_text|>");
    expect(classes!.control.length).toBeGreaterThan(100);
  });
});

describe("a test block", () => {
  const source = (vocab: string): string => `import { dry, greedy } from "std"
test "breakers" {
  logits  [3, 2, 1]
  history [0, 1, 0, 1]
  ${vocab}
  run     dry(multiplier: 9, allowed_length: 1, breakers: ["b"]) |> greedy()
  expect  token 0
}`;
  const found = (text: string, vocabulary?: readonly string[]): string | undefined =>
    runTests({ name: "x.ggsl", text }, ["reference"], undefined, { vocabulary })[0]!.differences[0]?.rows[0]?.found;

  test("has its own vocabulary", () => {
    expect(found(source('vocab   ["a", "b", "c"]'))).toBeUndefined();
    expect(found(source('vocab   ["a", "x", "c"]'))).toBe("1");
  });
  test("or one from outside", () => {
    expect(found(source(""))).toContain("text breakers need a model's vocabulary");
    expect(found(source(""), ["a", "b", "c"])).toBeUndefined();
    expect(found(source('vocab   ["a", "b", "c"]'), ["a", "x", "c"])).toBeUndefined();
  });
});

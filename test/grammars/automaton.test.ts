/** The engine of grammars in the addon beside llama.cpp's, and schemas token by token over three vocabularies. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { openAutomaton } from "../../runtime/grammars/automaton.js";
import { hasBit } from "../../runtime/grammars/bits.js";
import { budgeted } from "../../runtime/grammars/budget.js";
import { llamaState } from "../../runtime/grammars/llama.js";
import { readGbnf } from "../../runtime/grammars/text/gbnf.js";
import type { Rules } from "../../runtime/grammars/text/rules.js";
import type { GrammarState } from "../../runtime/grammars/types.js";
import { schemaRules } from "../../runtime/grammars/values/schema.js";
import { DEMO_MODEL } from "../model/file.js";
import { CONSTRUCTS } from "./constructs.js";
import { usualTexts } from "./serializations.js";
import { endsOf, randomIntegers, tokensOf, wordsOf, type Words } from "./walk.js";

const FOLDER = "build/llama.cpp";
const vocabulary = (name: string): string => `${FOLDER}/models/ggml-vocab-${name}.gguf`;

const open = (words: Words, rules: Rules): GrammarState => openAutomaton(loadBinding(), rules, words.vocabulary);

/** Control tokens, and bytes that are in no text, which llama.cpp allows; a token that ends inside of a character is judged otherwise. */
const isOther = ({ vocabulary, texts }: Words, token: number): boolean =>
  vocabulary.classes!.control.includes(token) ||
  /^\0|[\xc0\xc1\xf5-\xff]/.test(texts[token]!) ||
  new TextDecoder().decode(Buffer.from(texts[token]!, "latin1")).includes("\ufffd");

describe("grammars beside llama.cpp", () => {
  let words: Words;
  beforeAll(async () => {
    words = await wordsOf(DEMO_MODEL);
  });
  afterAll(() => words.model.dispose());

  const files = readdirSync(`${FOLDER}/grammars`)
    .filter((file) => file.endsWith(".gbnf"))
    .map((file) => [file, readFileSync(`${FOLDER}/grammars/${file}`, "utf8")] as const);

  test.each([...files, ...Object.entries(CONSTRUCTS)])("%s", (_, gbnf) => {
    const { Grammar } = loadBinding();
    const random = randomIntegers(5);
    const differences: unknown[] = [];
    let steps = 0;
    for (let i = 0; i < 3; i++) {
      let ours = open(words, readGbnf(gbnf));
      let theirs = llamaState(new Grammar(words.model, gbnf));
      let text = "";
      for (let n = 0; n < 15; n++, steps++) {
        const [a, b] = [ours.bits(), theirs.bits()];
        for (const token of tokensOf(a.map((word, at) => word ^ b[at]!)))
          if (!isOther(words, token)) differences.push({ text, token: words.texts[token], ours: hasBit(a, token) });
        const both = tokensOf(a.map((word, at) => word & b[at]!)).filter(
          (token) => !endsOf(words.vocabulary).has(token),
        );
        if (both.length === 0) break;
        const token = both[random(both.length)]!;
        text += words.texts[token]!;
        [ours, theirs] = [ours.accept(token), theirs.accept(token)];
      }
    }
    expect(differences).toEqual([]);
    expect(steps).toBeGreaterThan(0);
  });

  test("a text goes back, and two go on from one position", () => {
    const start = open(words, readGbnf('root ::= "a"{2,3} | "ab"'));
    const [a, b] = ["a", "b"].map((text) => words.texts.indexOf(text)) as [number, number];
    const after = start.accept(a);
    const before = [...after.bits()];
    const [twice, other] = [after.accept(a), after.accept(b)];
    expect(hasBit(twice.bits(), a)).toBe(true);
    expect(hasBit(other.bits(), a)).toBe(false);
    expect([...after.bits()]).toEqual(before);
    expect(() => other.accept(a)).toThrow(`the grammar does not accept token ${a} here`);
    const end = [...endsOf(words.vocabulary)][0]!;
    expect(() => start.accept(end)).toThrow(`the grammar does not accept token ${end} here`);
    expect(twice.accept(end)).toBe(twice);
  });
});

interface Group {
  readonly keyword: string;
  readonly description: string;
  readonly schema: object | boolean;
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[];
}

let known: Map<string, number> | undefined;
/** The longest token at each place: SentencePiece puts a blank before a text that it cuts itself. */
function longestTokens(words: Words, text: string): number[] {
  const byText = (known ??= new Map(words.texts.map((one, token) => [one, token])));
  const tokens: number[] = [];
  for (let at = 0; at < text.length;) {
    let length = Math.min(16, text.length - at);
    while (length > 1 && !byText.has(text.slice(at, at + length))) length--;
    tokens.push(byText.get(text.slice(at, at + length))!);
    at += length;
  }
  return tokens;
}

type Cut = (words: Words, text: string) => Iterable<number>;
const byModel: Cut = ({ vocabulary }, text) => vocabulary.tokenize(text);

/** Whether a text can be written token by token; the position after it is one where the text may end. */
function writes(words: Words, start: GrammarState, text: string, cut: Cut): boolean {
  let at = start;
  for (const token of cut(words, Buffer.from(text).toString("latin1"))) {
    if (!hasBit(at.bits(), token)) return false;
    at = at.accept(token);
  }
  return hasBit(at.bits(), [...endsOf(words.vocabulary)][0]!);
}

/** Each of its groups is in one of three runs. */
const SUITE = (JSON.parse(readFileSync("test/grammars/suite/draft2020-12.json", "utf8")) as Group[]).filter(
  // a vocabulary without assertions, in a document elsewhere
  ({ description }) => !description.includes("no validation vocabulary"),
);
const VOCABULARIES: readonly (readonly [name: string, cut: Cut])[] = [
  ["llama-bpe", byModel],
  ["gemma-4", byModel],
  ["llama-spm", longestTokens],
];

describe("the public test suite of JSON Schema, token by token", () => {
  test.each(VOCABULARIES)("%s", async (name, cut) => {
    const words = await wordsOf(vocabulary(name));
    let [valid, invalid] = [0, 0];
    const groups = SUITE.filter((_, i) => VOCABULARIES[i % VOCABULARIES.length]![0] === name);
    for (const { keyword, description, schema, tests } of groups) {
      let rules: Rules;
      try {
        rules = budgeted("the JSON schema", () => schemaRules(schema, [], { order: "any" }));
      } catch {
        continue; // refused; test/grammars/valuesSuite says which
      }
      const start = open(words, rules);
      for (const one of tests) {
        if (one.valid) valid++;
        else invalid++;
        for (const text of usualTexts(one.data))
          expect({ keyword, description, text, valid: writes(words, start, text, cut) }).toEqual({
            keyword,
            description,
            text,
            valid: one.valid,
          });
      }
    }
    expect(Math.min(valid, invalid)).toBeGreaterThan(80);
    words.model.dispose();
  });
});

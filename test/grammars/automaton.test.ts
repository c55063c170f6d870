/** The engine of grammars in the addon: positions of a text, and schemas token by token over three vocabularies. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { hasBit } from "../../runtime/grammars/bits.js";
import { budgeted } from "../../runtime/grammars/budget.js";
import { readGbnf } from "../../runtime/grammars/text/gbnf.js";
import type { Rules } from "../../runtime/grammars/text/rules.js";
import type { GrammarState } from "../../runtime/grammars/types.js";
import { schemaRules } from "../../runtime/grammars/values/schema.js";
import { DEMO_MODEL } from "../model/file.js";
import { usualTexts } from "./serializations.js";
import { beginRules, endsOf, wordsOf, type Words } from "./walk.js";

const vocabulary = (name: string): string => `build/llama.cpp/models/ggml-vocab-${name}.gguf`;

test("a text goes back, and two go on from one position", async () => {
  const words = await wordsOf(DEMO_MODEL);
  const start = beginRules(readGbnf('root ::= "a"{2,3} | "ab"'), words);
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
  words.model.dispose();
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
      const start = beginRules(rules, words);
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

/**
 * The engine of grammars beside llama.cpp's, token by token, regular expressions beside JavaScript's, and choices. The long form of the
 * first is `npm run grammars`.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openGrammar } from "../../runtime/grammars/open.js";
import { hasBit } from "../../runtime/grammars/bits.js";
import { DEMO_MODEL } from "../model/file.js";
import { CONSTRUCTS, FILES } from "./constructs.js";
import { compareMasks, compareVerdicts } from "./compare.js";
import { randomIntegers, walk, wordsOf, type Words } from "./walk.js";

const { GGSL_GRAMMAR_TEXTS, GGSL_GRAMMAR_MASKS, GGSL_GRAMMAR_VOCABULARY: VOCABULARY } = process.env;
/** Whole texts, each also with a change. */
const TEXTS = Number(GGSL_GRAMMAR_TEXTS ?? 4);
/** Texts whose masks are compared. */
const MASKS = Number(GGSL_GRAMMAR_MASKS ?? 2);

let words: Words;
beforeAll(async () => {
  words = await wordsOf(VOCABULARY ?? DEMO_MODEL);
});
afterAll(() => words.model.dispose());

describe("engines", () => {
  const table: string[] = [];
  afterAll(() => {
    if (VOCABULARY !== undefined) console.log(table.join("\n"));
  });
  test.each(Object.entries({ ...FILES, ...CONSTRUCTS }))("%s", (name, gbnf) => {
    const masks = compareMasks(words, gbnf, randomIntegers(3), { texts: MASKS, length: 12 });
    const { steps, milliseconds } = masks;
    const { accepted, refused, ...verdicts } = compareVerdicts(words, gbnf, randomIntegers(4), TEXTS);
    const differences = [...masks.differences, ...verdicts.differences];
    const [ours, theirs] = [milliseconds.ours, milliseconds.theirs].map((times) => times.sort((a, b) => a - b));
    const at = (times: number[], part: number): string =>
      (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(2);
    const times = `${at(ours!, 0.5)} | ${at(ours!, 1)} | ${at(theirs!, 0.5)}`;
    table.push(`| ${name} | ${accepted} | ${refused} | ${steps} | ${differences.length} | ${times} |`);
    expect(differences).toEqual([]);
    expect(steps).toBeGreaterThan(0);
  });
});

test.each([
  ["[a-c]{2,3}|x(?:y|z)+", ["ab", "abc", "xy", "xzy"], ["a", "abcd", "x", "abx"]],
  ["^\\d{3}-\\w+$", ["123-a_", "000-Z9"], ["12-a", "123-", "123-é"]],
  ["(?<year>\\d{2})[^a-z ]?", ["12", "12A", "12%"], ["12a", "12 ", "1"]],
  ["\\u0041\\x42[\\]\\-^]\\.", ["AB].", "AB-.", "AB^."], ["ABa.", "AB]a"]],
])("the regular expression %s accepts what JavaScript accepts", (regex, right, wrong) => {
  const whole = new RegExp(`^(?:${regex})$`, "su");
  const accepts = (text: string): boolean => {
    let state = openGrammar({ regex }, { vocabulary: words.vocabulary, now: true });
    for (const token of words.vocabulary.tokenize(Buffer.from(text).toString("latin1"))) {
      if (!hasBit(state.bits(), token)) return false;
      state = state.accept(token);
    }
    return hasBit(state.bits(), words.model.info.eos);
  };
  for (const text of [...right, ...wrong]) expect({ text, is: accepts(text) }).toEqual({ text, is: whole.test(text) });
  for (let seed = 0; seed < 5; seed++) {
    const start = openGrammar({ regex }, { vocabulary: words.vocabulary, now: true });
    expect(walk(start, words, randomIntegers(seed), 8).text).toMatch(whole);
  }
});

test("choices, and structural tags", () => {
  const at = { vocabulary: words.vocabulary, now: true };
  const found = new Set<string>();
  const choices = ["yes", "no", "yes, of course", "nö"];
  const random = randomIntegers(11);
  for (let i = 0; i < 60; i++) found.add(walk(openGrammar({ choices }, at), words, random, 40).text);
  expect([...found].sort()).toEqual([...choices].sort());
  const structuralTag = {
    type: "tag",
    begin: "<call>",
    content: {
      type: "json_schema",
      json_schema: {
        type: "object",
        properties: { n: { type: "integer", minimum: 3, maximum: 7 } },
        required: ["n"],
        additionalProperties: false,
      },
    },
    end: "</call>",
  };
  for (let seed = 0; seed < 5; seed++)
    expect(walk(openGrammar({ structuralTag }, at), words, randomIntegers(seed), 40).text).toMatch(
      /^<call>\{\s*"n"\s*:\s*[3-7]\s*\}<\/call>$/,
    );
});

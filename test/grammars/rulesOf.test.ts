/** The rules of each kind of source, and what is wrong with one. */
import { expect, test } from "@jest/globals";
import { budgeted, spend } from "../../runtime/grammars/budget.js";
import { GRAMMAR_LIMITS } from "../../runtime/grammars/limits.js";
import { rulesOf, tableOfSource } from "../../runtime/grammars/rulesOf.js";
import { tagRules } from "../../runtime/grammars/tags/tags.js";
import type { GrammarSource } from "../../runtime/grammars/types.js";
import { matcher } from "./matcher.js";

const PAIR = { type: "object", properties: { a: { type: "integer" }, b: { type: "null" } }, required: ["b"] };

test.each<[GrammarSource, readonly string[], readonly string[]]>([
  [{ gbnf: 'root ::= "a" root | "b"' }, ["b", "aab"], ["", "a", "ba"]],
  [{ regex: "a.c|\\d+" }, ["a\nc", "12"], ["a", "xabc", "12 "]],
  [{ choices: ["yes", "", "\u{1f600}"] }, ["yes", "", "\u{1f600}"], ["y", "yesyes"]],
  [{ structuralTag: { type: "const_string", value: "x" } }, ["x"], [""]],
  [
    { jsonSchema: PAIR },
    ['{"a":1,"b":null}', '{"b": null}', '{\n  "b": null\n}'],
    ['{"b":null,"a":1}', "{}", '{ \n"b":null}'],
  ],
  [{ jsonSchema: JSON.stringify(PAIR), order: "any" }, ['{"b":null,"a":1}', '{"a":1,"b":null}'], ['{"a":1}']],
  [{ jsonSchema: PAIR, whitespace: "none" }, ['{"b":null}'], ['{"b": null}']],
  [{ jsonSchema: PAIR }, ['{"b":null}'], ['{"b":null,"c":1}']],
  [{ jsonSchema: PAIR, others: "any" }, ['{"b":null}', '{"b":null,"c":1}'], ['{"b":1}']],
  [
    { jsonSchema: { allOf: [PAIR, { properties: { c: { const: 0 } } }] } },
    ['{"b":null,"c":0}', '{"a":1,"b":null}'],
    ['{"b":null,"d":1}', '{"b":null,"c":1}'],
  ],
  [{ jsonSchema: { ...PAIR, additionalProperties: true } }, ['{"b":null,"c":1}'], ['{"c":1}']],
  [{ jsonSchema: { ...PAIR, unevaluatedProperties: { const: 2 } } }, ['{"b":null,"c":2}'], ['{"b":null,"c":1}']],
  [{ jsonSchema: { type: "object", required: ["x"] } }, ['{"x":1,"y":2}'], ["{}"]],
  [{ jsonSchema: { properties: { a: { const: 1 } }, required: ["x"] } }, ['{"a":1,"x":2}', "3"], ['{"x":1,"y":2}']],
  [{ jsonSchema: PAIR, whitespace: "line" }, ['{"b":null}', '{ "a": 1, "b": null }'], ['{"b":  null}', '{\n"b":null}']],
  [{ jsonSchema: PAIR, whitespace: "any" }, ['{ \n"b" :\tnull}'], ['{"b":\u00a0null}']],
  [{ jsonSchema: { type: "array", uniqueItems: true }, ignore: ["uniqueItems"] }, ["[1,1]"], ["1"]],
  [{ jsonSchema: true }, ['{"x":[1e5]}'], ["x"]],
])("%j", (source, allowed, refused) => {
  const grammar = matcher(rulesOf(source));
  expect([...allowed, ...refused].filter((text) => grammar.matches(text))).toEqual(allowed);
});

test.each<[string, unknown]>([
  ["a grammar must be an object with one of `gbnf`, `jsonSchema`, `regex`, `choices`, `structuralTag`, found", {}],
  ["a grammar must be an object with one of `gbnf`", { regex: "a", order: "any" }],
  ["a grammar must be an object with one of `gbnf`", { choices: ["a"], whitespace: "none" }],
  ["did you mean `whitespace`?", { jsonSchema: true, whitespaces: "none" }],
  [
    '`whitespace` must be one of "usual", "none", "line", "any", found "some"',
    { jsonSchema: true, whitespace: "some" },
  ],
  ['`order` must be one of "declared", "any", found 1', { jsonSchema: true, order: 1 }],
  ['`ignore` must be a list of keywords, found "not"', { jsonSchema: true, ignore: "not" }],
  ["`ignore` must be a list of keywords, found a list", { jsonSchema: true, ignore: [1] }],
  ["`gbnf` must be a text of at least one character", { gbnf: "" }],
  ["`regex` must be a text of at least one character, found 1", { regex: 1 }],
  ["`choices[1]` must be a text, found 1", { choices: ["a", 1] }],
  ["the JSON schema is not JSON", { jsonSchema: "{" }],
])("bad input: %s", (message, source) => {
  expect(() => rulesOf(source as GrammarSource)).toThrow(
    expect.objectContaining({
      name: "InputError",
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(message) as unknown,
    }),
  );
});

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
test.each<[string, GrammarSource]>([
  ["the grammar", { gbnf: `root ::= ${many(15_000, () => '("a"|"b")').join(" ")}` }],
  ["the JSON schema", { jsonSchema: { const: "x".repeat(300_000) } }],
  ["the regular expression", { regex: "(?=a)(b|c?)".repeat(9000) }],
  ["the choices", { choices: many(21_000, String) }],
  [
    "the structural tag",
    {
      structuralTag: {
        type: "or",
        elements: many(20, (i) => ({ type: "regex", pattern: `${i}${"[\\p{L}]".repeat(1500)}` })),
      },
    },
  ],
])("the limit of %s has its name", (name, source) => {
  expect(() => rulesOf(source)).toThrow(
    expect.objectContaining({
      code: "LIMIT_EXCEEDED",
      message: expect.stringMatching(new RegExp(`^${name} exceeds? a limit: `)) as unknown,
    }),
  );
});

test("tokens of a grammar have places in its table", () => {
  const { words, tokens } = tableOfSource({ gbnf: 'root ::= <[7]> "a" !<think> | <|im_end|>' });
  expect(tokens.map(({ token }) => token)).toEqual([7, "<think>", "<|im_end|>"]);
  for (const [i, { at }] of tokens.entries())
    // the node of a token, whether it is negated, and one token, whose number depends on the vocabulary
    expect([...words.slice(at - 3, at + 1)]).toEqual([9, i === 1 ? 1 : 0, 1, 0]);
});

test.each([
  ["root ::= <", "column 10: this token has no closing `>`"],
  ["root ::= <a\n>", "column 10: this token has no closing `>`"],
  ["root ::= <[]>", "column 12: expected the number of a token"],
  ["root ::= <[7>", "column 13: expected `]>` after the number of a token"],
  ["root ::= <[9999999999]>", "column 10: expected a token up to 2147483647"],
  ["root ::= !a", "column 10: expected a token, such as `!<[7]>`, after `!`"],
])("tokens that are not right: %s", (gbnf, message) => {
  expect(() => rulesOf({ gbnf: gbnf.replace("\\n", "\n") })).toThrow(message);
});

test("many tools are read in few steps", () => {
  const tags = many(128, (i) => ({
    begin: `<function=tool_${i}>`,
    content: {
      type: "json_schema",
      json_schema: {
        type: "object",
        properties: Object.fromEntries(
          many(12, (n) => [
            `property_${n}`,
            { type: ["string", "integer", "array"][n % 3], description: "x".repeat(30) },
          ]),
        ),
        required: ["property_1"],
      },
    },
    end: "</function>",
  }));
  expect(JSON.stringify(tags).length).toBeGreaterThan(128 * 1000);
  for (const triggers of [["<function="], tags.map(({ begin }) => begin)]) {
    const stepsOf = (count: number): number =>
      leastSteps({
        type: "triggered_tags",
        triggers: triggers.slice(0, count),
        tags: tags.slice(0, count),
        at_least_one: true,
      });
    const whole = stepsOf(128);
    expect(whole).toBeLessThan(GRAMMAR_LIMITS.steps / 8);
    expect(whole).toBeLessThan(2.5 * stepsOf(64));
  }
});

/** The steps that reading a tag takes, up to 500 more: what fits into the rest of a budget. */
function leastSteps(structuralTag: object): number {
  const fits = (steps: number): boolean => {
    try {
      budgeted("the structural tag", () => {
        spend(GRAMMAR_LIMITS.steps - steps);
        tagRules(structuralTag);
      });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: "LIMIT_EXCEEDED" });
      return false;
    }
  };
  let [low, high] = [0, 2 ** 18];
  while (high - low > 500) {
    const middle = (low + high) >> 1;
    if (fits(middle)) high = middle;
    else low = middle;
  }
  return high;
}

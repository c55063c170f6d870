/** Free text with control tokens in it, and parts that begin with them: formats that are not XGrammar's. */
import { describe, expect, test } from "@jest/globals";
import { openGrammar } from "../../runtime/grammars/open.js";
import { hasBit } from "../../runtime/grammars/bits.js";

const CALLS = 0;
const THINK = 1;
const END = 2;
/** The tokens that follow these three are characters. */
const LETTERS = Array.from("abcdef<>[]{}:, \n0123456789");
const pieces = ["[CALLS]", "[THINK]", "[END]", ...LETTERS];
const vocabulary = { pieces, classes: { control: [CALLS, THINK], end: [END] }, tokenize: () => new Int32Array() };

/** Control tokens in brackets, characters as they are; whether the text obeys the format, and may end there. */
function accepts(structuralTag: object, text: string): boolean {
  let at = openGrammar({ structuralTag }, { vocabulary, now: true });
  for (const [word] of text.matchAll(/\[[A-Z]+\]|[^]/g)) {
    const token = pieces.indexOf(word);
    if (!hasBit(at.bits(), token)) return false;
    at = at.accept(token);
  }
  return hasBit(at.bits(), END);
}

const letters = (value: string): object => ({ type: "const_string", value });
const token = (id: number): object => ({ type: "grammar", grammar: `root ::= <[${id}]>` });
const sequence = (...elements: object[]): object => ({ type: "sequence", elements });
const item = { type: "or", elements: [letters("a:1"), letters("b:2")] };
const list = { type: "repeat", content: item, separator: letters(", ") };

test("a repeat has its content once or more, with the separator between", () => {
  const texts = ["a:1", "a:1, b:2", "a:1, a:1, b:2", "", "a:1, ", "a:1b:2", ", a:1"];
  expect(texts.map((text) => accepts(list, text))).toEqual([true, true, true, false, false, false, false]);
  expect(accepts({ type: "repeat", content: item }, "a:1b:2")).toBe(true);
});

test("texts that do not come in free text", () => {
  const free = { type: "any_text", excludes: ["<:a>", "cc"] };
  const then = sequence(free, letters("<:a>"), letters("1"));
  for (const [format, text, is] of [
    [free, "ab<", true],
    [free, "a<:b>", true],
    [free, "a<:a>", false],
    [free, "bccb", false],
    [free, "", true],
    [then, "ab<:<:a>1", true],
    [then, "<:a>1", true],
    [then, "a<:a>2<:a>1", false],
    [then, "a<:a>", false],
    [{ type: "tag", begin: "<", content: free, end: ">" }, "<acac>", true],
    [{ type: "tag", begin: "<", content: free, end: ">" }, "<acc>", false],
  ] as const)
    expect([text, accepts(format, text)]).toEqual([text, is]);
});

test("members come once at most, in any order, the required ones always", () => {
  const members = [
    { content: letters("a"), required: true },
    { content: letters("b"), required: false },
    { content: sequence(token(THINK), letters("c")), required: false },
  ];
  const texts = {
    a: true,
    ab: true,
    ba: true,
    "b[THINK]ca": true,
    b: false,
    "": false,
    aa: false,
    aba: false,
    ac: false,
  };
  for (const [text, is] of Object.entries(texts)) {
    expect([text, accepts({ type: "members", members }, text)]).toEqual([text, is]);
    const separated = [...text.matchAll(/(?:\[THINK\])?./g)].join(", ");
    expect([text, accepts({ type: "members", members, separator: letters(", ") }, separated)]).toEqual([text, is]);
  }
});

const block = sequence(token(CALLS), letters("["), list, letters("]"));
const tag = { type: "tag", begin: "<f>", content: list, end: "</f>".replace("/", "e") };

describe.each<[string, object, Readonly<Record<string, boolean>>]>([
  [
    "a block that begins with a control token",
    { type: "free_text", blocks: [block] },
    {
      "abc <f>": true,
      "abc[CALLS][a:1]": true,
      "[CALLS][a:1, b:2] abc [CALLS][b:2]": true,
      "abc[CALLS]": false,
      "abc[CALLS]a": false,
      "abc[CALLS][c:3]": false,
      "a[THINK]": false,
    },
  ],
  [
    "control tokens that may come anywhere in it",
    { type: "free_text", blocks: [block], tokens: [THINK] },
    { "a[THINK]b[THINK]": true, "[THINK][CALLS][a:1][THINK]": true, "[CALLS][THINK][a:1]": false },
  ],
  [
    "a trigger of letters beside them",
    { type: "free_text", triggers: ["<f"], tags: [tag], tokens: [THINK] },
    {
      "a < b": true,
      "a <f>a:1<ef>b": true,
      "a[THINK]<f>a:1, a:1<ef>": true,
      "a <f": false,
      "a <fa": false,
      "a <[THINK]f": true,
      "[CALLS]": false,
    },
  ],
  [
    "the first one ends it",
    { type: "free_text", blocks: [block], tokens: [THINK], stop_after_first: true },
    { "a[THINK]b": true, "a[CALLS][a:1]": true, "a[CALLS][a:1]b": false, "a[CALLS][a:1][CALLS][a:1]": false },
  ],
  [
    "in a tag, up to its end",
    { type: "tag", begin: "{", content: { type: "free_text", blocks: [block], tokens: [THINK] }, end: "}" },
    { "{a[THINK]b}": true, "{a[CALLS][a:1]}": true, "{a[CALLS][a:1]": false, "{a}b": false },
  ],
])("%s", (_, format, texts) => {
  test.each(Object.entries(texts))("%j: %s", (text, is) => expect(accepts(format, text)).toBe(is));
});

test.each<[object, RegExp]>([
  [{ type: "free_text", blocks: [] }, /"\/blocks": expected a list that is not empty/],
  [{ type: "free_text", tokens: [-1] }, /"\/tokens\/0": expected the number of a token, found -1/],
  [{ type: "free_text", triggers: ["x"], tags: [tag] }, /"\/tags\/0\/begin": expected one of the triggers/],
  [{ type: "members", members: [{ content: tag }] }, /"\/members\/0\/required": expected a boolean/],
  [{ type: "members", members: [1] }, /"\/members\/0": expected an object with `content` and `required`, found 1/],
  [{ type: "any_text", excludes: [""] }, /"\/excludes\/0": expected a text/],
  [{ type: "any_text", excludes: [] }, /"\/excludes": expected a list that is not empty/],
  [{ type: "repeat", content: { type: "any_text" } }, /"\/content": expected no free text at its end/],
])("%j is refused", (format, message) => {
  expect(() => openGrammar({ structuralTag: format }, { vocabulary, now: true })).toThrow(message);
});

/** Structural tags as rules: which texts they allow, and which not. GGSL_CASES is how many random ones are tried. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { XGrammar, XGrammarError, type XGrammarCompiled } from "../../bench/grammars/xgrammar.js";
import { hasBit } from "../../runtime/grammars/bits.js";
import { budgeted } from "../../runtime/grammars/budget.js";
import { openGrammar } from "../../runtime/grammars/open.js";
import { rulesOf } from "../../runtime/grammars/rulesOf.js";
import { tagRules } from "../../runtime/grammars/tags/tags.js";
import type { GrammarState } from "../../runtime/grammars/types.js";
import type { Rules } from "../../runtime/grammars/text/rules.js";
import { matcher } from "./matcher.js";
import { changed, likelyText, randomFormat, reads, type Format, type Tag } from "./randomTags.js";
import { DEMO_MODEL } from "../model/file.js";
import { differences, READ, REFUSED } from "./tagsOfXgrammar.js";
import { randomIntegers, tokensOf, wordsOf, type Words } from "./walk.js";

let words: Words;
let xgrammar: XGrammar;
beforeAll(async () => {
  words = await wordsOf(DEMO_MODEL);
  xgrammar = new XGrammar(words.vocabulary);
});
afterAll(() => words.model.dispose());

const CASES = Number(process.env["GGSL_CASES"] ?? 300);

test("random tags are what their documentation says", () => {
  const counts = { tags: 0, refused: 0, accepted: 0, rejected: 0 };
  for (let seed = 0; seed < CASES; seed++) {
    const random = randomIntegers(seed);
    for (let i = 0; i < 5; i++) random(2);
    const format = randomFormat(random, 1 + random(3));
    const rules = rulesOrFault(format);
    if (!rules) {
      counts.refused++;
      continue;
    }
    counts.tags++;
    const grammar = matcher(rules);
    for (let n = 0; n < 8; n++) {
      const likely = likelyText(random, format);
      for (const text of [likely, changed(random, likely)]) {
        const isRight = reads(format, text);
        counts[isRight ? "accepted" : "rejected"]++;
        expect({ format: JSON.stringify(format), text, is: grammar.matches(text) }).toEqual({
          format: JSON.stringify(format),
          text,
          is: isRight,
        });
      }
    }
  }
  expect(counts.tags).toBeGreaterThan(CASES / 2);
  expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(CASES);
});

test("random tags token by token, and beside XGrammar, whose differences have names", async () => {
  const counts: Record<string, number> = {};
  const count = (name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
  const refusals: readonly string[] = Object.values(REFUSED);
  for (let seed = 0; seed < CASES; seed++) {
    const random = randomIntegers(1000 + seed);
    for (let i = 0; i < 5; i++) random(2);
    const format = randomFormat(random, 1 + random(2));
    const rules = rulesOrFault(format);
    if (!rules) continue;
    const grammar = matcher(rules);
    const start = opened(format);
    const reasons = [...differences(format)];
    const refused = reasons.filter((one) => refusals.includes(one));
    const tag = JSON.stringify(format);
    const theirs = await openedByXgrammar(format);
    expect({ tag, refused, isRefused: !theirs }).toEqual({ tag, refused, isRefused: refused.length > 0 });
    count(theirs ? "read" : `refused: ${refused.join("; ")}`);
    for (let n = 0; n < 6; n++) {
      const likely = likelyText(random, format);
      for (const text of [likely, changed(random, likely)]) {
        const is = grammar.matches(text);
        count(is ? "accepted" : "rejected");
        expect({ tag, text, is: accepts(start, text) }).toEqual({ tag, text, is });
        if (!theirs || is === acceptedByXgrammar(theirs, text)) continue;
        expect({ tag, text, is, reasons: reasons.length }).not.toEqual({ tag, text, is, reasons: 0 });
        count(`otherwise: ${reasons.join("; ")}`);
      }
    }
    theirs?.delete();
  }
  expect(counts["read"]).toBeGreaterThan(CASES / 3);
  expect(Math.min(counts["accepted"]!, counts["rejected"]!)).toBeGreaterThan(CASES);
});

/** Only a tag with free text and without an end is refused. */
function rulesOrFault(format: Format): Rules | undefined {
  try {
    return budgeted("the structural tag", () => tagRules(format));
  } catch (error) {
    expect((error as Error).message).toContain('/end": expected a text, found "": free text');
    return undefined;
  }
}

const cut = (text: string): Iterable<number> => words.vocabulary.tokenize(Buffer.from(text).toString("latin1"));

const opened = (format: Format): GrammarState =>
  openGrammar({ structuralTag: format }, { vocabulary: words.vocabulary, now: true });

function accepts(start: GrammarState, text: string): boolean {
  let at = start;
  for (const token of cut(text)) {
    if (!hasBit(at.bits(), token)) return false;
    at = at.accept(token);
  }
  return hasBit(at.bits(), words.model.info.eos);
}

/** Undefined for what XGrammar refuses. */
async function openedByXgrammar(format: Format): Promise<XGrammarCompiled | undefined> {
  try {
    return await xgrammar.compile({ structuralTag: format });
  } catch (error) {
    if (error instanceof XGrammarError) return undefined;
    throw error;
  }
}

function acceptedByXgrammar(compiled: XGrammarCompiled, text: string): boolean {
  const begun = compiled.begin();
  const is = [...cut(text), words.model.info.eos].every((token) => begun.accept(token));
  begun.delete();
  return is;
}

const ANY: Format = { type: "any_text" };
const x: Format = { type: "const_string", value: "x" };
const tag = (begin: string, content: Format, end: string): Tag => ({ type: "tag", begin, content, end });

test.each<[string, Format]>([
  [REFUSED.trigger, { type: "triggered_tags", triggers: ["<a", "<b"], tags: [tag("<a>", x, "")] }],
  [REFUSED.triggers, { type: "triggered_tags", triggers: ["<a", "<a>"], tags: [tag("<a>", x, "")] }],
  [REFUSED.beginning, tag("(", { type: "triggered_tags", triggers: ["<"], tags: [tag("<a>", x, "")] }, "<)")],
  [REFUSED.middle, { type: "sequence", elements: [ANY, x] }],
  [REFUSED.mixed, { type: "or", elements: [ANY, x] }],
  [REFUSED.end, tag("(", { type: "tags_with_separator", tags: [tag("<a>", x, "")], separator: "," }, "")],
  [REFUSED.separator, { type: "tags_with_separator", tags: [tag("<a>", x, "")], separator: "" }],
])("XGrammar refuses %s", async (name, format) => {
  expect([...differences(format)]).toContain(name);
  await expect(xgrammar.compile({ structuralTag: format })).rejects.toThrow(XGrammarError);
  const texts: Readonly<Record<string, string>> = {
    [REFUSED.beginning]: "(<a>x<)",
    [REFUSED.middle]: "abx",
    [REFUSED.mixed]: "x",
    [REFUSED.end]: "(<a>x",
  };
  expect(accepts(opened(format), texts[name] ?? "<a>x")).toBe(true);
});

test.each<[string, Format, string]>([
  [READ.again, tag("(", ANY, "aab"), "(aaab"],
  [READ.again, tag("(", ANY, "<<b"), "(<<<b"],
  [
    READ.separator,
    tag("(", { type: "tags_with_separator", tags: [tag("<", x, ">")], separator: "," }, ","),
    "(<x>,<x>,",
  ],
])("XGrammar reads otherwise: %s", async (name, format, text) => {
  expect([...differences(format)]).toEqual([name]);
  expect(reads(format, text)).toBe(true);
  expect(accepts(opened(format), text)).toBe(true);
  expect(acceptedByXgrammar(await xgrammar.compile({ structuralTag: format }), text)).toBe(false);
});

const call = (name: string, json_schema: unknown): Tag =>
  tag(`<call=${name}>`, { type: "json_schema", json_schema }, "</call>");
const TOOLS = [
  call("weather", { type: "object", properties: { city: { type: "string" } }, required: ["city"] }),
  call("time", { type: "object", properties: {}, additionalProperties: false }),
];
const WEATHER = '<call=weather>{"city": "Oslo <call="}</call>';
const TIME = "<call=time>{}</call>";
const calls = (endings: object = {}): Format => ({
  type: "triggered_tags",
  triggers: ["<call="],
  tags: TOOLS,
  ...endings,
});
const list = (endings: object = {}): Format => ({
  type: "tags_with_separator",
  tags: TOOLS,
  separator: "; ",
  ...endings,
});

test.each<[string, Format, readonly string[], readonly string[]]>([
  ["const_string", x, ["x"], ["", "xx"]],
  ["any_text", ANY, ["", "any\n\u{1f600}"], []],
  ["regex: the whole text", { type: "regex", pattern: "a.|b" }, ["a\n", "b"], ["a", "ab.", "bb"]],
  ["grammar: recursive", { type: "grammar", grammar: 'root ::= "(" root ")" | ""' }, ["", "(())"], ["(", "())"]],
  [
    "json_schema: strings in all spellings, and lengths",
    { type: "json_schema", json_schema: { type: "string", minLength: 2, maxLength: 3 } },
    ['"ab"', '"\\n\\u00e9\\""'],
    ['"a"', '"abcd"', '"a\n"'],
  ],
  ["json_schema as text", { type: "json_schema", json_schema: '{"const":[1]}' }, ["[1]", "[\n  1\n]"], ["1"]],
  ["sequence", { type: "sequence", elements: [x, { type: "regex", pattern: "a*" }, x] }, ["xx", "xaax"], ["x", "xa"]],
  ["or", { type: "or", elements: [x, { type: "json_schema", json_schema: { const: 1 } }] }, ["x", "1"], ["", "x1"]],
  [
    "any_text to the end of its tag",
    tag("<think>", ANY, "</think>"),
    ["<think></think>", "<think></ think></thin</think>", "<think><think></think>"],
    ["<think>", "<think></think></think>", "<think></think> "],
  ],
  [
    "any_text in a sequence and in alternatives",
    tag("(", { type: "or", elements: [x, { type: "sequence", elements: [x, ANY, x, ANY] }] }, ")"),
    ["(x)", "(xx)", "(xaxb)"],
    ["()", "(xa)", "(x)x)", "(xax))"],
  ],
  [
    "triggered_tags",
    calls(),
    ["", "text <call", TIME, `a${WEATHER}\n${TIME}b`, `<<call${TIME}${TIME}`],
    [
      "<call=",
      "<call=other>{}</call>",
      "a<call=time>{",
      `${TIME}<call=`,
      "<call=time>{}</call",
      "<call=weather>{}</call>",
    ],
  ],
  ["at_least_one", calls({ at_least_one: true }), [TIME, `${TIME} ${WEATHER} b`], ["", "a", ` ${TIME}`]],
  ["stop_after_first", calls({ stop_after_first: true }), ["", "a", `a${TIME}`], [`${TIME} `, TIME + TIME]],
  [
    "exactly one",
    calls({ at_least_one: true, stop_after_first: true }),
    [TIME, WEATHER],
    ["", `a${TIME}`, TIME + TIME],
  ],
  [
    "triggered_tags in a tag",
    tag("<a>", calls(), "</a>"),
    ["<a></a>", `<a>b${TIME}c${TIME}</a>`],
    ["<a>", "<a></a></a>", `<a>${TIME}`, `<a></a>${TIME}`],
  ],
  [
    "the end of a tag before its triggers",
    tag("<a>", { type: "triggered_tags", triggers: ["<"], tags: [tag("<b>", ANY, "<")] }, "</a>"),
    ["<a></a>", "<a>c<b>d<</a>", "<a><b><</a>"],
    ["<a>c<d</a>", "<a><b></a>"],
  ],
  [
    "a trigger at the end of another",
    { type: "triggered_tags", triggers: ["call(", "a call("], tags: [tag("call(1", x, ")"), tag("a call(2", x, ")")] },
    ["a call(1x)", "a call(2x)", "call(1x)"],
    ["call(2x)", "b call(2x)"],
  ],
  [
    "tags_with_separator",
    list(),
    ["", TIME, `${TIME}; ${WEATHER}; ${TIME}`],
    [" ", TIME + TIME, `${TIME}; `, `; ${TIME}`],
  ],
  ["at least one with a separator", list({ at_least_one: true }), [TIME, `${TIME}; ${TIME}`], [""]],
  ["at most one with a separator", list({ stop_after_first: true }), ["", TIME], [`${TIME}; ${TIME}`]],
  [
    "beginnings that share half a character, and many that share more",
    {
      type: "triggered_tags",
      triggers: ["<"],
      tags: [
        ...["\u{1f600}", "\u{1f601}"].map((face) => tag(`<${face}`, x, ">")),
        ...Array.from({ length: 40 }, (_, i) => tag(`<${"a".repeat(i)}`, x, `${i}`)),
      ],
    },
    ["<\u{1f600}x>", "<\u{1f601}x>", "<x0", `<${"a".repeat(39)}x39 <ax1`],
    ["<\u{1f602}x>", "<x1", `<${"a".repeat(40)}x40`],
  ],
  [
    "rules of the same name in several parts",
    {
      type: "sequence",
      elements: [
        { type: "grammar", grammar: 'root ::= x x\nx ::= "a"' },
        { type: "grammar", grammar: 'root ::= x x\nx ::= "b"' },
        {
          type: "json_schema",
          json_schema: { $ref: "#/$defs/x", $defs: { x: { type: "array", items: { $ref: "#/$defs/x" } } } },
        },
        { type: "json_schema", json_schema: { $ref: "#/$defs/x", $defs: { x: { enum: [1, "a", null] } } } },
      ],
    },
    ["aabb[[]]1", "aabb[]null"],
    ["aaaa[[]]1", "bbbb[]1", "aabb[1]1", "aabb[][]"],
  ],
])("%s", (_, format, allowed, refused) => {
  for (const given of [format, { type: "structural_tag", format }]) {
    const grammar = matcher(rulesOf({ structuralTag: given }));
    expect([...allowed, ...refused].filter((text) => grammar.matches(text))).toEqual(allowed);
    for (const text of allowed)
      for (let i = 0; i <= Array.from(text).length; i++)
        expect(grammar.begins(Array.from(text).slice(0, i).join(""))).toBe(true);
  }
});

test("a token in a tag", () => {
  const [open, x] = ["(", "x"].map((text) => words.texts.indexOf(text)) as [number, number];
  const start = opened(tag("(", { type: "grammar", grammar: `root ::= <[${x}]>` }, ")"));
  const at = start.accept(open);
  expect(tokensOf(at.bits())).toEqual([x]);
  expect(accepts(start, "(x)")).toBe(true);
});

test("a part that is used twice is written once", () => {
  const twice = rulesOf({ structuralTag: { type: "or", elements: [calls({ at_least_one: true }), list()] } });
  const once = rulesOf({ structuralTag: calls() });
  expect(twice.size).toBe(once.size);
});

test.each<[string, unknown, string?]>([
  ["the structural tag: expected an object, found 3", 3],
  ["the structural tag: unknown type undefined: expected one of const_string, json_schema", {}],
  ['the structural tag at "/format": expected an object, found undefined', { type: "structural_tag" }],
  ['at "/elements/1": unknown type "nope"', { type: "or", elements: [x, { type: "nope" }] }],
  [
    'at "/tags/0": expected a format of the type "tag", found "or"',
    { ...list(), tags: [{ type: "or", elements: [x] }] },
  ],
  ["`tag` needs `end`", { type: "tag", begin: "a", content: x }],
  ['at "/separator": expected a text, found 1', { ...list(), separator: 1 }],
  ['at "/at_least_one": expected a boolean, found "yes"', calls({ at_least_one: "yes" })],
  ['at "/tags": expected a list that is not empty', calls({ tags: [] })],
  [
    'at "/tags/1/begin": expected one of the triggers at its beginning, found "<tool>"',
    calls({ tags: [TOOLS[0], tag("<tool>", x, "")] }),
  ],
  ['at "/content/end": expected a text, found "": free text', tag("a", tag("b", calls(), ""), "c")],
  [
    'at "/value": expected whole characters, found a half of one in "\\ud800"',
    { type: "const_string", value: "\ud800" },
  ],
  [
    'at "/elements/0": the regular expression does not parse: column 1',
    { type: "sequence", elements: [{ type: "regex", pattern: "(" }] },
  ],
  ["the grammar has no rule", { type: "grammar", grammar: "root ::= x" }],
  [
    'at "/tags/0/content": the JSON schema at "/properties/a": `uniqueItems` cannot be enforced',
    calls({ tags: [call("a", { properties: { a: { type: "array", uniqueItems: true } } })] }),
    "UNENFORCED_KEYWORD",
  ],
  [
    "nested deeper than 40 levels",
    Array.from({ length: 50 }).reduce<Format>((content) => tag("a", content, "b"), x),
    "LIMIT_EXCEEDED",
  ],
  ["characters as JSON", { type: "const_string", value: "x".repeat(3e5) }, "LIMIT_EXCEEDED"],
])("bad input: %s", (message, structuralTag, code = "INVALID_ARGUMENT") => {
  expect(() => rulesOf({ structuralTag: structuralTag as object })).toThrow(
    expect.objectContaining({ name: "InputError", code, message: expect.stringContaining(message) as unknown }),
  );
});

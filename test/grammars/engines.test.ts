/** XGrammar's masks beside llama.cpp's, token by token. The long form is `npm run grammars`. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openGrammar } from "../../runtime/grammars/open.js";
import { route } from "../../runtime/grammars/sources.js";
import { hasBit } from "../../runtime/grammars/bits.js";
import { DEMO_MODEL } from "../model/demo.js";
import { compareMasks } from "./compare.js";
import { randomIntegers, walk, wordsOf, type Words } from "./walk.js";

let words: Words;
beforeAll(async () => {
  words = await wordsOf(DEMO_MODEL);
});
afterAll(() => words.model.dispose());

const FOLDER = "build/llama.cpp/grammars";
const files = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".gbnf"))
    .map((file) => [file, readFileSync(`${FOLDER}/${file}`, "utf8")]),
);

/** After the constructs of llama.cpp's grammar tests. */
const CONSTRUCTS: Readonly<Record<string, string>> = {
  "an expression": 'root ::= expr\nexpr ::= term ("+" term)*\nterm ::= number\nnumber ::= [0-9]+',
  "rules that call each other":
    'root ::= expression\nexpression ::= term ws (("+"|"-") ws term)*\nterm ::= factor ws (("*"|"/") ws factor)*\nfactor ::= number | variable | "(" expression ")" | function-call\nnumber ::= [0-9]+\nvariable ::= [a-zA-Z_][a-zA-Z0-9_]*\nfunction-call ::= variable ws "(" (expression ("," ws expression)*)? ")"\nws ::= [ \\t\\n\\r]?',
  "any character": 'root ::= ... "abc" ...',
  "a star": 'root ::= "a"*',
  "a plus": "root ::= [a-z]+ [0-9]+",
  "an option": 'root ::= "a"? "b"?',
  "an option of alternatives": 'root ::= cons+ ftyp*\nftyp ::= "a" | "bb"\ncons ::= [yxz]+',
  "exactly four": "root ::= [ab]{4}",
  "at least four": "root ::= [ab]{4,}",
  "at most four": "root ::= [ab]{0,4}",
  "groups that repeat": 'root ::= ("a" | "b" [c-e]){1,2} ("x" ("y" | "z")*)?',
  "alternatives that begin and end alike": `root ::= ${[599, 600, 641, 658, 597, 698].map((n) => `"${n}"`).join(" | ")}`,
  "classes that begin alike": 'root ::= [0-9] "a" | [0-9] "b" "c" | [0-9] "bd"',
  "negated classes": 'root ::= [^a-z"\\\\]+ "x" [^0-9]?',
  escapes: 'root ::= "\\x41\\u00e9\\U0001F600\\t\\n\\r\\\\\\"\\[\\]" [\\]\\-^]',
  "a few letters beyond ASCII": "root ::= [äöüß€a-c]+",
  "comments and lines": 'root ::= # here\n  "a" (\n  # there\n  | "b"\n) x\nx ::= "c" |\n  "d"',
  "the same name twice": 'root ::= a\na ::= "x"\na ::= "y"',
  "true and false": 'root ::= true | false\ntrue ::= "yes"\nfalse ::= "no"',
  "an empty class": 'root ::= "a" [] "b"',
};

describe("masks", () => {
  test.each(Object.entries({ ...files, ...CONSTRUCTS }))("%s", (_, gbnf) => {
    const { steps, differences } = compareMasks(words, gbnf, randomIntegers(3), { texts: 2, length: 12 });
    expect(differences).toEqual([]);
    expect(steps).toBeGreaterThan(0);
  });
});

test.each([
  ["a token", "root ::= <[7]> [a-z]"],
  ["a class with 84 characters", "root ::= [\u3041-\u3094]+", "xgrammar"],
  ["many characters above ASCII", files["japanese.gbnf"]!],
  ["a negated class above ASCII", "root ::= [^é]+"],
])("the engine of %s", (_, gbnf, engine = "llama") => {
  expect(route({ gbnf }).engine).toBe(engine);
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
      json_schema: { type: "object", properties: { n: { type: "integer", minimum: 3, maximum: 7 } }, required: ["n"] },
    },
    end: "</call>",
  };
  for (let seed = 0; seed < 5; seed++)
    expect(walk(openGrammar({ structuralTag }, at), words, randomIntegers(seed), 40).text).toMatch(
      /^<call>\{\s*"n"\s*:\s*[3-7]\s*\}<\/call>$/,
    );
});

/** Incremental parsing gives the same result as a full parse, including spans. */
import { expect, test } from "@jest/globals";
import { parse, type ParseCache } from "../../compiler/syntax/parse.js";
import { KEYWORDS } from "../../compiler/source/keywords.js";
import { ggsl } from "../../compiler/syntax/ggsl.generated.js";
import { random } from "../parity/random.js";
import { SEED } from "../parity/settings.js";
import { readSource } from "./corpus.js";

const STD = ["adaptive_p", "min_p", "top_k", "logit_bias"].map((name) => readSource(`compiler/std/${name}.ggsl`).text);
const SNIPPETS = [
  "",
  " ",
  "\n",
  "x",
  "{",
  "}",
  '"',
  "//",
  "///",
  "\n\nchain c = a\n",
  "\ninput g [1]\n",
  "\ninput g: f32\n",
];

test("after random edits", () => {
  const r = random(SEED);
  const cache: ParseCache = new Map();
  let text = STD.join("\n");
  for (let i = 0; i < 40; i++) {
    const start = r.below(text.length);
    const removed = r.below(4) === 0 ? r.below(30) : 0;
    text = text.slice(0, start) + SNIPPETS[r.below(SNIPPETS.length)]! + text.slice(start + removed);
    const source = { name: "t.ggsl", text };
    expect(parse(source, { cache })).toEqual(parse(source));
    // most edits break something, so the text is restored from time to time
    if (i % 10 === 9) text = STD.join("\n// again\n");
  }
});

test("cached declarations are new objects, so identity-keyed caches stay correct", () => {
  const cache: ParseCache = new Map();
  const parsed = [1, 2].map(
    (n) => parse({ name: "t.ggsl", text: `const a = 1\nconst b = ${n}\n` }, { cache }).file.declarations[0],
  );
  expect(parsed[0]).not.toBe(parsed[1]);
});

test("declarations in unusual positions are found", () => {
  for (const text of [
    'test "t" {\ninput green [1]\nprobs [1]\nrun a\nexpect kept [0]\n}\ninput green: f32\n',
    "/// Doc.\n\n// between\n/// More.\nchain c = a\n",
    "const a = 1 /// Doc of b.\nconst b = 2\n",
    "  /// Doc.\nchain c = a const d = 1\n",
    'chain c = host grammar("\\"\\\\")\n\nchain d = c\n',
  ])
    expect(parse({ name: "t.ggsl", text }).diagnostics).toEqual([]);
});

test("the table of keywords has every word of the grammar", () => {
  const words = Object.entries(ggsl.rules)
    .map(([name, { body }]) => ({ name, text: body.toString() }))
    .filter(({ name, text }) => name !== "type" && /^\("?(\w+)"? ~word\)$/.test(text.replace(/\\/g, "")))
    .map(({ name }) => name);
  const types = ["type", "fold"].flatMap((rule) =>
    [...ggsl.rules[rule]!.body.toString().matchAll(/"(\w+)"/g)].map((m) => m[1]!),
  );
  expect(words.length).toBeGreaterThan(40);
  expect(Object.keys(KEYWORDS).sort()).toEqual([...new Set([...words, ...types])].sort());
});

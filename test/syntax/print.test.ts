/** The canonical form: its layout, and that it loses nothing. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { print } from "../../format/print.js";
import { parse } from "../../compiler/syntax/parse.js";
import { random } from "../parity/random.js";
import { SEED } from "../parity/settings.js";
import { commentsOf, corpus, docBlocks, parses, programFiles, readSource, respaced } from "./corpus.js";

const WIDTH = 120;

/** Programs that test a layout, so they are not in canonical form. */
const LAID_OUT_OTHERWISE = ["division_as_comment", "long_line", "many_lines", "tabs", "windows_lines"].map(
  (name) => `test/diagnostics/${name}.ggsl`,
);

/** A cache: most texts are canonical, so printing them again hits it. */
function remembered(of: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const result = known.get(text) ?? of(text);
    known.set(text, result);
    return result;
  };
}

const formOf = remembered((text) => {
  const printed = print({ name: "t.ggsl", text });
  if ("diagnostics" in printed) throw new Error(printed.diagnostics.map((d) => d.message).join("\n"));
  return printed.text;
});

/** The tree as text, without its spans. */
const treeOf = remembered((text) =>
  JSON.stringify(parse({ name: "t.ggsl", text }).file.declarations, (key, value: unknown) =>
    /span$/i.test(key) ? undefined : value === Infinity ? "inf" : value,
  ),
);

function expectFaithful(text: string): void {
  const form = formOf(text);
  expect(treeOf(form)).toBe(treeOf(text));
  expect(commentsOf(form)).toEqual(commentsOf(text));
  expect(formOf(form)).toBe(form);
  expect(form).not.toMatch(/[ \t\r]$/m);
  expect(form).not.toContain("\n\n\n");
}

/** Programs of diagnostics are many, and alike: a sixth of them. */
const CORPUS = corpus().filter(({ name }, i) => !name.startsWith("test/diagnostics") || i % 6 === 0);

test("there are programs to print", () => {
  expect(CORPUS.length).toBeGreaterThan(100);
});

test.each(CORPUS)("$name: printing keeps program and comments, and is idempotent", ({ text }) => {
  expectFaithful(text);
});

/** Spaces and comments between all tokens, for some programs, since they are slow to read; those of diagnostics would add no coverage. */
test.each(CORPUS.filter(({ name }, i) => !name.startsWith("test/diagnostics") && i % 12 === 0))(
  "$name: the same with random spaces and more comments",
  ({ text }) => {
    const other = respaced(text, random(SEED));
    try {
      expect(treeOf(other)).toBe(treeOf(text));
      expectFaithful(other);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n--- of\n${other}`);
    }
  },
);

test.each(readdirSync("compiler/std").filter((name) => name.endsWith(".ggsl")))(
  "%s: line ends do not matter",
  (name) => {
    const { text } = readSource(join("compiler/std", name));
    const bare = text.replace(/^ *\/\/.*\n/gm, "");
    expect(formOf(bare.replace(/\s+/g, " "))).toBe(formOf(bare));
  },
);

describe("the programs of this project are in their canonical form", () => {
  const files = programFiles().filter((file) => !LAID_OUT_OTHERWISE.includes(file));
  test.each([...files.map(readSource), ...docBlocks()].filter(parses))("$name", ({ text }) => {
    expect(formOf(text)).toBe(text);
  });
});

const inSampler = (...lines: string[]): string => `sampler s() {\n${lines.map((l) => `  ${l}\n`).join("")}}\n`;
const LONG = "a_long_name_of_a_column";

describe("layout", () => {
  test.each<[string, string, string]>([
    ["nothing", " \n ", ""],
    ["nothing but a comment", "\n\n// c ", "// c\n"],
    ["an empty block", "sampler s(){\n}", "sampler s() { }\n"],
    ["semicolons go", "sampler s(){sort;;sort ; // c\n}", inSampler("sort", "sort // c")],
    ["numbers", "const a=.5 const b=1E+3 const c=1.0", "const a = 0.5\nconst b = 1e3\nconst c = 1.0\n"],
    ["operators", "const x=-a^-b*(c+d)%2<3?not a:b", "const x = -a ^ -b * (c + d) % 2 < 3 ? not a : b\n"],
    [
      "ranges",
      "chain c(static a:i32>=0=1,b:f32 in[0,1])=d()",
      "chain c(static a: i32 >= 0 = 1, b: f32 in [0, 1]) = d()\n",
    ],
    [
      "functions",
      "fn f(x:f32)->f32=x fn g()->bool{let a=1;let b=(a);(b>a)}",
      "fn f(x: f32) -> f32 = x\nfn g() -> bool {\n  let a = 1\n  let b = (a);\n  (b > a)\n}\n",
    ],
    [
      "documented parameters",
      "fn f(/// a\n/// b\nx:f32,static y:i32=1)->f32=x",
      "fn f(\n  /// a\n  /// b\n  x: f32,\n  static y: i32 = 1\n) -> f32 = x\n",
    ],
    [
      "loops",
      "const a=sum i in 1 .. 2*3:i+1 const b=repeat i in 1..4 with x=0 :repeat 2 with y=x:y",
      "const a = sum i in 1..2 * 3: i + 1\nconst b = repeat i in 1..4 with x = 0: repeat 2 with y = x: y\n",
    ],
    ["renamed imports", 'import {a as b,c} from "d"', 'import { a as b, c } from "d"\n'],
    ["a comma at the end of a line goes", "const a=[1,2,] chain c=d(1 , )", "const a = [1, 2]\n\nchain c = d(1)\n"],
    [
      "a comma at the end of several lines stays",
      "sampler s(a:f32,// first\nb:f32,){ }",
      "sampler s(\n  a: f32, // first\n  b: f32,\n) { }\n",
    ],
    [
      "block comments",
      "/* a */const x=1/* b */\n/* c\n   d */\nsampler s(/*e*/a:f32 /*f*/){ /* g */ sort/* h */\n/* i */ sort /* j */ }",
      "/* a */const x = 1 /* b */\n\n/* c\n   d */\nsampler s(/*e*/ a: f32 /*f*/) {\n  /* g */ sort /* h */\n  /* i */ sort /* j */\n}\n",
    ],
    ["a short `if`", inSampler("if n>1{\nsort\n}else{\n}"), inSampler("if n > 1 { sort } else { }")],
    ["two statements in an `if`", inSampler("if n>1{sort sort}"), inSampler("if n > 1 {", "  sort", "  sort", "}")],
    [
      "an `if` of more than 80 columns",
      inSampler(`if ${LONG} > 1 { keep ${LONG} > 1 } else { keep ${LONG} < 1 }`),
      inSampler(`if ${LONG} > 1 {`, `  keep ${LONG} > 1`, "} else {", `  keep ${LONG} < 1`, "}"),
    ],
    ["an `if` in an `if`", inSampler("if a{if b{sort}}"), inSampler("if a {", "  if b { sort }", "}")],
    ["`else if`", inSampler("if a{sort}else if b{top 1}"), inSampler("if a { sort } else if b { top 1 }")],
    ["one empty line stays", inSampler("sort", "", "", "", "sort"), "sampler s() {\n  sort\n\n  sort\n}\n"],
    ["an empty line after a sampler", "sampler s(){sort}\nchain c=s", `${inSampler("sort")}\nchain c = s\n`],
    ["lines of one kind stay together", "const a=1\nconst b=2", "const a = 1\nconst b = 2\n"],
    ["doc comments", "/// a\n\n///b\nchain c=d", "/// a\n///b\nchain c = d\n"],
    [
      "clauses are aligned",
      'test "t"{probs[1,2]history[1]bias[1:2]input g[1]steps 2 run a|>b expect token 1}',
      'test "t" {\n  probs   [1, 2]\n  history [1]\n  bias    [1: 2]\n  input   g [1]\n  steps   2\n  run     a |> b\n  expect  token 1\n}\n',
    ],
    [
      "a comment between parameters",
      "sampler s(a:f32,// first\n// second\nb:f32\n// last\n){ }",
      "sampler s(\n  a: f32, // first\n  // second\n  b: f32\n  // last\n) { }\n",
    ],
    [
      "comments at the ends of blocks",
      "sampler s() { // open\n\n// in\nsort // s\n\n\n// last\n} // after\n// end",
      "sampler s() { // open\n  // in\n  sort // s\n\n  // last\n} // after\n// end\n",
    ],
    ["an import", 'import{a,b}from"std"', 'import { a, b } from "std"\n'],
    ["an import of nothing", 'import { } from "std"', 'import { } from "std"\n'],
  ])("%s", (_, text, expected) => expect(formOf(text)).toBe(expected));

  test("long lists, chains and conditions are broken", () => {
    const stages = Array.from({ length: 12 }, () => "temperature(1)").join("|>");
    const values = Array.from({ length: 60 }, (_, i) => i).join(",");
    const conditions = Array.from({ length: 8 }, () => `${LONG} > 1`).join(" and ");
    const form = formOf(`chain c=${stages}\nsampler s(){keep ${conditions}}\ntest "t"{probs[${values}]}`);
    expect(form).toContain("chain c =\n  temperature(1)\n  |> temperature(1)\n");
    expect(form).toContain(`  keep ${LONG} > 1\n    and ${LONG} > 1\n`);
    expect(form).toContain("  probs [\n    0, 1, 2, 3,");
    expect(Math.max(...form.split("\n").map((line) => line.length))).toBeLessThanOrEqual(WIDTH);
  });
});

describe("programs at the limits of the parser", () => {
  test.each([
    ["brackets", `const x = ${"(".repeat(30)}1${")".repeat(30)}`],
    ["lists", `const x = ${"[".repeat(30)}1${"]".repeat(30)}`],
    ["sums", `const x = ${"1 + ".repeat(240)}1`],
    ["minus signs", `const x = ${"-".repeat(240)}1`],
    ["conditionals", `const x = ${"a ? b : ".repeat(60)}1`],
    ["blocks", `sampler s() { ${"if a { ".repeat(40)}${"} ".repeat(40)} }`],
    ["else if", `sampler s() { ${"if a { } else ".repeat(60)} { } }`],
  ])("%s", (_, text) => {
    expect(parses({ name: "t", text })).toBe(true);
    expectFaithful(text);
  });
});

test("a syntax error is reported", () => {
  const printed = print({ name: "t.ggsl", text: "sampler s() { keep }" });
  expect("diagnostics" in printed && printed.diagnostics.map((d) => d.code)).toEqual(["E0101"]);
});

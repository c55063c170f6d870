/** What the grammar accepts and what it refuses. */
import { describe, expect, test } from "@jest/globals";
import { ggsl } from "../../compiler/syntax/ggsl.generated.js";

const accepts = (text: string, rule = "File"): boolean => ggsl.match(text, rule).succeeded();
const inSampler = (statements: string): string => `sampler s() { ${statements} }`;

describe("declarations", () => {
  test.each([
    "",
    "// nothing but a comment",
    'import { a } from "std"',
    'import { a, b } from "./file.ggsl"',
    'import { a as b, as, c as fn, } from "std"',
    "const x = 1 + 2",
    "const x = 1 /* a // b\n */ + 2 /**/ /***/",
    "fn near(x: f32, best: f32) -> f32 = x / best",
    "/// Doc.\nfn f(/// the value\n static x: i32 = 1,) -> bool { let y = x; let z = y; (z > 1) }",
    "const a = 1\n/// Doc.\nfn f() -> f32 = 1",
    "const fn = 1 const repeat = fn const with = repeat const sums = with",
    "input green: f32",
    "input green: f32 sparse(64) = 0",
    "sampler s() {}",
    "sampler s(p: f32 in [0, 1] = 0.05) { }",
    "sampler s(static k: i32 >= 0 = 40, m: f32 > -1, q: f32 < 1, r: i32 <= 2 * 3) { }",
    "sampler s(seed: seed = random, on: bool = true) { }",
    "chain c = a",
    "chain c() = a()",
    "chain c(t: f32 >= 0 = 0.8) = top_k(40) |> min_p(p: 0.05) |> temp(t) |> dist",
    'chain c = a |> host grammar("root ::= \\"a\\"", root: "root")',
    'chain c = dry(1, 1.75, breakers: ["\\n", ":"])',
    "/// Doc.\nsampler s() {}",
    "/// Two\n/// lines.\nchain c = a",
    "//// not a doc comment\nchain c = a",
    'test "t" { probs [0.1, .2, 7e-1] run s(1) |> t expect probs [1, 0, 0] }',
    'test "t" { logits [1, -inf, 2] history [1, 2] bias [3: 0.5, 4: -inf] input green [1] steps 3 run a expect tokens [1, 2, 3] }',
    'test "t" { run a expect token 3 expect kept [1] expect order [2, 1] expect logits [0] }',
    "const importance = 1 sampler sorted() {} chain topmost = inform",
  ])("takes %j", (text) => expect(accepts(text)).toBe(true));

  test.each([
    'import { a as } from "std"',
    'import { , } from "std"',
    "import { a } from std",
    "fn f(x: f32) = x",
    "fn f(x: f32) -> f32 { let y = x }",
    "fn f(x: f32) -> f32 { keep x > 1 x }",
    "const a = 1 /* no end",
    "const = 1",
    "const let = 1",
    "const in = 1",
    "const inf = 1",
    "sampler s {}",
    "sampler s(p) {}",
    "sampler s(p: f64) {}",
    "sampler s(p: f32x) {}",
    "sampler s(p: f32 in [0]) {}",
    "sampler s() {",
    "chain c = ",
    "chain c = a |>",
    "chain c = a | b",
    "chain c = a b",
    "chain = a",
    "test t { }",
    "samplers() {}",
    "/// a doc comment of nothing",
  ])("refuses %j", (text) => expect(accepts(text)).toBe(false));
});

describe("statements", () => {
  test.each([
    "let x = 1",
    "let x = 1 let y = 2; let z = 3;;",
    "let\nx\n=\n1",
    "logit = 1 logit += 1 logit -= 1 logit *= 2 logit /= 2",
    "keep prob > 0.1",
    "keep prob > 0.1 at least 2 + 1",
    "top 3",
    "top k by abs(prob - 0.5)",
    "sort",
    "sort asc",
    "sort by prob",
    "sort by prob desc sort",
    "if true { }",
    "if n > 1 { sort } else { top 2 }",
    "if a { } else if b { } else { }",
    "pick sample(seed)",
    "pick argmax(-prob)",
    "state mu: f32 = 2 * tau",
    "after pick { mu -= eta * (-log2(picked(prob)) - tau) }",
    "let x = a // a comment\nlogit = x",
  ])("takes %j", (text) => expect(accepts(inSampler(text))).toBe(true));

  test.each([
    "let x",
    "1 + 2",
    "logit",
    "logit + 1",
    "logit == 1",
    "keep",
    "top",
    "sort by",
    "if a b",
    "else { }",
    "pick",
    "pick first(logit)",
    "after { }",
    "return 1",
  ])("refuses %j", (text) => expect(accepts(inSampler(text))).toBe(false));
});

describe("expressions", () => {
  test.each([
    "1",
    "0.5",
    ".5",
    "1e-5",
    "1.5E+3",
    "inf",
    "-inf",
    "--1",
    "-x ^ -2",
    "a ? b : c ? d : e",
    "not not a",
    "f()",
    "f(1, p: 2)",
    "f(1,)",
    "[1,]",
    "1 + sum i in 1..8: min j in i..2 * i: a ? b : c",
    "repeat 40 with x = 1: x / 2",
    "repeat i in 1..40 with x = 1: x / i",
    "sum / min * max + any - all + repeat",
    '"text"',
    "[1, 2]",
    "[]",
    "(((1)))",
    "x_1 + _y",
  ])("takes %j", (text) => expect(accepts(`const x = ${text}`)).toBe(true));

  test.each([
    "1 < 2 < 3",
    "a == b == c",
    "1.",
    "1 2",
    "0x10",
    "+1",
    "a ? b",
    "f(,)",
    "sum i in 1..8 i",
    "sum in 1..8: 1",
    "repeat with x = 1: x",
    "mean i in 1..8: i",
    "f(,1)",
    "(1",
    "1 +",
    "a && b",
    "!a",
    "a = b",
    "'text'",
    '"text',
    "1.5.2",
    "1e",
    "3p",
  ])("refuses %j", (text) => expect(accepts(`const x = ${text}`)).toBe(false));
});

test("a pipeline is a start rule of its own", () => {
  expect(accepts("top_k(40) |> temp(0.8) |> dist(42)", "Stages")).toBe(true);
  expect(accepts("chain c = greedy", "Stages")).toBe(false);
  expect(accepts("", "Stages")).toBe(false);
});

/** The parser's syntax tree, and its error recovery. */
import { describe, expect, test } from "@jest/globals";
import type { Expr, Sampler, Stmt } from "../../compiler/syntax/ast.js";
import { parse, parseStages } from "../../compiler/syntax/parse.js";
import type { SourceFile, Span } from "../../compiler/source/source.js";

const source = (text: string): SourceFile => ({ name: "t.ggsl", text });
const textOf = ({ source: { text }, start, end }: Span): string => text.slice(start, end);

/** A tree as plain data without spans, for readability. */
const bare = (tree: unknown): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value: unknown) => (/span$/i.test(key) ? undefined : value)));

function declarations(text: string): readonly unknown[] {
  const { file, diagnostics } = parse(source(text));
  expect(diagnostics).toEqual([]);
  return file.declarations;
}

const expression = (text: string): Expr => (declarations(`const x = ${text}`)[0] as { value: Expr }).value;
const statements = (text: string): readonly Stmt[] => (declarations(`sampler s() { ${text} }`)[0] as Sampler).body;

/** An expression with all its brackets. */
function bracketed(e: Expr): string {
  switch (e.kind) {
    case "number":
    case "bool":
      return String(e.value);
    case "string":
      return JSON.stringify(e.value);
    case "list":
      return `[${e.values.map(bracketed).join(", ")}]`;
    case "name":
      return e.text;
    case "unary":
      return `(${e.op} ${bracketed(e.operand)})`;
    case "pattern":
      return `/${e.value}/`;
    case "part":
      return `${e.of.text}.${e.name.text}`;
    case "member":
      return `(${bracketed(e.value)} ${e.isNegated ? "not in" : "in"} ${bracketed(e.set)})`;
    case "binary":
      return `(${bracketed(e.left)} ${e.op} ${bracketed(e.right)})`;
    case "conditional":
      return `(${bracketed(e.cond)} ? ${bracketed(e.then)} : ${bracketed(e.else)})`;
    case "fold":
      return `(${e.how} ${e.counter.text} in ${bracketed(e.bounds.from)}..${bracketed(e.bounds.to)}: ${bracketed(e.body)})`;
    case "repeat": {
      const { count, counter, name } = e;
      const rounds = counter
        ? `${counter.name.text} in ${bracketed(counter.bounds.from)}..${bracketed(counter.bounds.to)}`
        : bracketed(count!);
      return `(repeat ${rounds} with ${name.text} = ${bracketed(e.init)}: ${bracketed(e.body)})`;
    }
    case "call":
      return `${e.callee.text}(${e.args.map((a) => (a.name ? `${a.name.text}: ` : "") + bracketed(a.value)).join(", ")})`;
  }
}

describe("precedence", () => {
  test.each([
    ["a + b * c", "(a + (b * c))"],
    ["a - b - c", "((a - b) - c)"],
    ["a / b % c * d", "(((a / b) % c) * d)"],
    ["a ^ b ^ c", "(a ^ (b ^ c))"],
    ["-a ^ b", "(- (a ^ b))"],
    ["a ^ -b", "(a ^ (- b))"],
    ["-a * b", "((- a) * b)"],
    ["a * -b", "(a * (- b))"],
    ["a + b < c - d", "((a + b) < (c - d))"],
    ["not a < b", "(not (a < b))"],
    ["not a and b", "((not a) and b)"],
    ["a or b and c", "(a or (b and c))"],
    ["sum i in 1..8: i + 1 > 2", "(sum i in 1..8: ((i + 1) > 2))"],
    ["-sum i in 1..n * 2: i", "(- (sum i in 1..(n * 2): i))"],
    ["max i in a..b: c ? d : e", "(max i in a..b: (c ? d : e))"],
    ["c ? sum i in 1..2: i : b", "(c ? (sum i in 1..2: i) : b)"],
    ["1 + any i in 1..2: all j in 1..i: j > 1", "(1 + (any i in 1..2: (all j in 1..i: (j > 1))))"],
    ["repeat 40 with x = 1: x + 1", "(repeat 40 with x = 1: (x + 1))"],
    ["repeat k in 1..2 with x = a ? b : c: x", "(repeat k in 1..2 with x = (a ? b : c): x)"],
    ["repeat - with", "(repeat - with)"],
    ["sum(x, min)", "sum(x, min)"],
    ["fn + as * sum", "(fn + (as * sum))"],
    ["a and b or c", "((a and b) or c)"],
    ["a in b and c", "((a in b) and c)"],
    ["not a in b", "(not (a in b))"],
    ["a not in b or c", "((a not in b) or c)"],
    ["a + 1 in tokens(/x\\/y/)", "((a + 1) in tokens(/x\\/y/))"],
    ["a in tokens.end ? 1 / 2 / 3 : b", "((a in tokens.end) ? ((1 / 2) / 3) : b)"],
    ["a or b ? c : d", "((a or b) ? c : d)"],
    ["a ? b : c ? d : e", "(a ? b : (c ? d : e))"],
    ["a ? b ? c : d : e", "(a ? (b ? c : d) : e)"],
    ["(a + b) * c", "((a + b) * c)"],
    ["f(a + b, p: c ? 1 : 2)", "f((a + b), p: (c ? 1 : 2))"],
  ])("%s", (text, expected) => expect(bracketed(expression(text))).toBe(expected));
});

describe("literals", () => {
  test.each([
    ["1", 1, true],
    ["40", 40, true],
    ["1.0", 1, false],
    [".5", 0.5, false],
    ["1e3", 1000, false],
    ["1e-5", 1e-5, false],
    ["inf", Infinity, false],
  ])("%s", (text, value, isInt) => expect(expression(text)).toMatchObject({ kind: "number", value, isInt }));

  test("texts", () =>
    expect(expression(String.raw`"a\n\"b\"\\n"`)).toMatchObject({ kind: "string", value: 'a\n"b"\\n' }));
});

describe("declarations", () => {
  test("import", () =>
    expect(bare(declarations('import { a, b } from "./x.ggsl"'))).toEqual([
      { kind: "import", names: [{ text: "a" }, { text: "b" }], from: "./x.ggsl" },
    ]));

  test("sampler with parameters", () =>
    expect(bare(declarations("sampler s(static k: i32 >= 0 = 40, p: f32 in [0, 1], seed: seed = random) {}"))).toEqual([
      {
        kind: "sampler",
        name: { text: "s" },
        params: [
          {
            name: { text: "k" },
            type: "i32",
            isStatic: true,
            range: { kind: "bound", op: ">=", bound: { kind: "number", value: 0, isInt: true } },
            default: { kind: "number", value: 40, isInt: true },
          },
          {
            name: { text: "p" },
            type: "f32",
            isStatic: false,
            range: {
              kind: "in",
              min: { kind: "number", value: 0, isInt: true },
              max: { kind: "number", value: 1, isInt: true },
            },
          },
          { name: { text: "seed" }, type: "seed", isStatic: false, default: { kind: "name", text: "random" } },
        ],
        body: [],
      },
    ]));

  test("chain", () =>
    expect(bare(declarations('chain c(t: f32) = a |> b(1, p: t) |> host grammar("x")'))).toMatchObject([
      {
        kind: "chain",
        params: [{ name: { text: "t" }, isStatic: false }],
        stages: [
          { name: { text: "a" }, isHost: false, args: [] },
          {
            name: { text: "b" },
            isHost: false,
            args: [{ value: { value: 1 } }, { name: { text: "p" }, value: { text: "t" } }],
          },
          { name: { text: "grammar" }, isHost: true, args: [{ value: { kind: "string", value: "x" } }] },
        ],
      },
    ]));

  test("inputs", () =>
    expect(bare(declarations("input a: f32 input b: f32 sparse(64) = 0"))).toEqual([
      { kind: "input", name: { text: "a" }, type: "f32" },
      {
        kind: "input",
        name: { text: "b" },
        type: "f32",
        sparse: {
          capacity: { kind: "number", value: 64, isInt: true },
          fill: { kind: "number", value: 0, isInt: true },
        },
      },
    ]));

  test("test", () =>
    expect(
      bare(
        declarations(
          'test "t" { probs [1] bias [3: 2] input g [1] steps 2 run a |> b(1) expect kept [0] expect token 3 }',
        ),
      ),
    ).toMatchObject([
      {
        kind: "test",
        title: "t",
        clauses: [
          { kind: "probs", values: [{ value: 1 }] },
          { kind: "bias", pairs: [[{ value: 3 }, { value: 2 }]] },
          { kind: "input", name: { text: "g" }, values: [{ value: 1 }] },
          { kind: "steps", count: { value: 2 } },
          { kind: "run", stages: [{ name: { text: "a" } }, { name: { text: "b" } }] },
          { kind: "expect", what: "kept", values: [{ value: 0 }] },
          { kind: "expect", what: "token", values: [{ value: 3 }] },
        ],
      },
    ]));

  test("doc comments go to the declaration that follows", () => {
    const text = "/// One\n///  two\n/// three\nsampler a() {}\n// none\nsampler b() {}\n/// Of c.\n\nchain c = a";
    expect(declarations(text).map((d) => (d as Sampler).doc)).toEqual(["One\n two\nthree", undefined, "Of c."]);
  });

  test("doc comments with CRLF line ends", () =>
    expect((declarations("/// a\r\n/// b\r\nsampler s() {}\r\n")[0] as Sampler).doc).toBe("a\nb"));
});

describe("statements", () => {
  test.each<[string, unknown]>([
    ["let x = 1", { kind: "let", name: { text: "x" }, value: { value: 1 } }],
    ["logit *= 2", { kind: "assign", target: { text: "logit" }, op: "*=", value: { value: 2 } }],
    ["keep true at least 3", { kind: "keep", cond: { value: true }, atLeast: { value: 3 } }],
    ["top 3 by prob", { kind: "top", count: { value: 3 }, by: { text: "prob" } }],
    ["sort", { kind: "sort", order: "desc" }],
    ["sort by rank asc", { kind: "sort", by: { text: "rank" }, order: "asc" }],
    ["pick argmax(logit)", { kind: "pick", how: "argmax", value: { text: "logit" } }],
    ["state m: f32 = 1", { kind: "state", name: { text: "m" }, type: "f32", init: { value: 1 } }],
    ["after pick { m = 1 }", { kind: "after", body: [{ kind: "assign" }] }],
    [
      "if a { sort } else if b { } else { top 1 }",
      { kind: "if", then: [{ kind: "sort" }], else: [{ kind: "if", then: [], else: [{ kind: "top" }] }] },
    ],
  ])("%s", (text, expected) => expect(bare(statements(text))).toMatchObject([expected] as never));

  test("an `if` without `else` has none", () =>
    expect(bare(statements("if a { }"))).toEqual([{ kind: "if", cond: { kind: "name", text: "a" }, then: [] }]));

  test("need nothing between them", () =>
    expect(statements("let x = a sort keep x > 1 logit = x").map((s) => s.kind)).toEqual([
      "let",
      "sort",
      "keep",
      "assign",
    ]));
});

test("spans cover the text they came from", () => {
  const [, s] = parse(source("const a = 1\n  sampler s(p: f32) { keep prob >= p * max(prob) }")).file.declarations;
  const [keep] = (s as Sampler).body;
  expect(textOf(keep!.span)).toBe("keep prob >= p * max(prob)");
  expect(keep?.kind === "keep" && keep.cond.kind === "binary" && textOf(keep.cond.right.span)).toBe("p * max(prob)");
  expect(textOf((s as Sampler).name.span)).toBe("s");
});

describe("recovery", () => {
  test("each broken declaration is reported, the others are in the tree", () => {
    const text = "sampler a() { keep }\n/// Doc of b.\nsampler b() { sort }\nchain c = |> b\nchain d = b\n";
    const { file, diagnostics } = parse(source(text));
    expect(diagnostics.map((d) => textOf(d.span))).toEqual(["}", "|>"]);
    expect(file.declarations.map((d) => d.kind === "sampler" && [d.name.text, d.doc])).toEqual([
      ["b", "Doc of b."],
      false,
    ]);
    expect(textOf(file.declarations[1]!.span)).toBe("chain d = b");
  });

  test("an unclosed block ends at the next declaration", () => {
    const { file, diagnostics } = parse(source("sampler a() { if n > 1 { sort }\nsampler b() { }"));
    expect(diagnostics).toHaveLength(1);
    expect(file.declarations).toHaveLength(1);
  });
});

describe("the stages of a one-liner", () => {
  test("alone", () =>
    expect(parseStages(source("top_k(40) |> greedy")).stages.map((s) => s.name.text)).toEqual(["top_k", "greedy"]));
  test("a fault", () =>
    expect(parseStages(source("top_k(40) | greedy")).diagnostics.map((d) => textOf(d.span))).toEqual(["|"]));
});

describe("pathological sources are refused without a stack overflow", () => {
  const big = 5_000;
  test.each([
    ["brackets", `const x = ${"(".repeat(big)}1${")".repeat(big)}`],
    ["open brackets", `const x = ${"[".repeat(big)}`],
    ["minus signs", `const x = ${"-".repeat(big)}1`],
    ["minus signs on lines", `const x = ${"-\n".repeat(big)}1`],
    ["not", `const x = ${"not\n".repeat(big)}true`],
    ["powers", `const x = ${"2^\n".repeat(big)}1`],
    ["conditionals", `const x = ${"a ? b :\n".repeat(big)}c`],
    ["sums", `const x = ${"1 +\n".repeat(big)}1`],
    ["else if", `sampler s() { ${"if a { } else\n".repeat(big)} { } }`],
    ["blocks", `sampler s() { ${"if a {".repeat(big)}`],
    ["length", " ".repeat((1 << 20) + 1)],
  ])("%s", (_, text) => {
    const { diagnostics } = parse(source(text));
    expect(diagnostics.map((d) => d.code)).toEqual([expect.stringMatching(/^E(?:010[23]|0701)$/)]);
  });

  test("long but flat sources are fine", () => {
    const lines = Array.from({ length: 600 }, (_, i) => `sampler s${i}() { keep prob > -0.5 * -1 - 2 ^ 2 at least 1 }`);
    expect(parse(source(lines.join("\n"))).diagnostics).toEqual([]);
  });
});

/**
 * Programs of hostile sizes. Each compiles, or gets a few diagnostics; nothing overflows the stack, and work follows the size:
 * with the limits off, a program of ten times the size would take minutes if any part were quadratic.
 */
import { describe, expect, test } from "@jest/globals";
import { compileProgram, graphOf, type CompileOptions, type DriverOptions } from "../../compiler/driver.js";
import { formatDiagnostics } from "../../compiler/check/format.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { limitsOf, type Limits } from "../../compiler/limits/limits.js";
import { Meter } from "../../compiler/limits/meter.js";
import { verify } from "../../compiler/graph/verify.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";

const many = (count: number, text: (i: number) => string, separator = "\n"): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(separator);

const inSampler = (body: string): string => `sampler s() {\n${body}\n}\nchain c = s()\n`;

/** The limits of sources off, so that the compiler has to do the work. */
const OPEN: Partial<Limits> = {
  tokens: 1e7,
  sourceLength: 1e8,
  nameLength: 1e6,
  steps: 1e8,
  work: 1e12,
  deviceBytes: 1e12,
};

const compiled = (text: string, options: CompileOptions = {}): ReturnType<typeof compileProgram> =>
  compileProgram(text, { limits: OPEN, ...options });

const codes = (diagnostics: readonly Diagnostic[]): string[] => [...new Set(diagnostics.map((d) => d.code))];

describe("constants", () => {
  test("200 constants, each the sum of the last one with itself", () => {
    const constants = `const x0 = 0.5\n${many(90, (i) => `const x${i + 1} = x${i} * 0.5 + x${i} * 0.5`)}`;
    const meter = new Meter(limitsOf());
    const options: DriverOptions = { meter };
    const { graph } = compileProgram(`${constants}\n${inSampler("logit += x90")}`, options);
    expect(graph?.nodes.find(({ op }) => op === "scale")?.attrs["b"]).toBe(0.5);
    // 14 tokens a line, and no step for each use of a constant
    expect(meter.steps).toBeLessThan(90 * 14 + 200);
  });

  test("99 constants of 100 terms each", () => {
    const terms = " + 1".repeat(99);
    const text = many(99, (i) => `const k${i} = ${i ? `k${i - 1}` : "1"}${terms}`);
    const { graph, diagnostics } = compiled(`${text}\n${inSampler("logit += k98")}`);
    expect(diagnostics).toEqual([]);
    // the sum of all terms: 99 * 99 + 1
    expect(graph?.nodes.find(({ op }) => op === "scale")?.attrs["b"]).toBe(9802);
  });
});

describe("chains", () => {
  test.each([2, 65, 66, 660])("a cycle of %i chains", (count) => {
    const text = many(count, (i) => `chain c${i} = c${(i + 1) % count}()`);
    for (const chain of [undefined, `c${count - 1}`]) {
      const { graph, diagnostics } = compiled(text, chain === undefined ? {} : { chain });
      expect(graph).toBeUndefined();
      expect(codes(diagnostics).filter((code) => code !== "E0702")).toEqual(["E0209"]);
      expect(diagnostics).toHaveLength(count > 100 ? 101 : count);
    }
  });

  test("a cycle that other chains lead to", () => {
    const { diagnostics } = compiled("chain a = b()\nchain b = c()\nchain c = b()\nchain d = d()");
    expect(diagnostics.map((d) => [d.code, d.span.start])).toEqual([
      ["E0209", 24],
      ["E0209", 38],
      ["E0209", 52],
    ]);
  });

  test("1000 chains inside each other", () => {
    const text = `sampler s() { logit += 1 }\nchain c0 = s()\n${many(1000, (i) => `chain c${i + 1} = c${i}() |> c${i}()`)}`;
    expect(codes(compiled(text, { chain: "c1000" }).diagnostics)).toEqual(["E0218"]);
  });
});

/** A sampler in 50 stages, each with another factor `k`. */
const withFactors = (body: string): string =>
  `sampler s(t: f32, k: f32) {\n${body}\n}\nchain c(t: f32 = 1) = ${many(50, (i) => `s(t, ${i + 1.5})`, " |> ")}`;

describe("nodes", () => {
  /** `stages` stages of 250 statements, each of them on the result of the last one. */
  const deep = (stages: number): string =>
    `sampler s() {\n${many(250, () => "logit = tanh(logit)")}\n}\nchain c = ${many(stages, () => "s", " |> ")}`;

  test("a graph of 19 000 nodes in a row compiles", () => {
    const { graph, diagnostics } = compiled(deep(76));
    expect(diagnostics).toEqual([]);
    expect(graph!.nodes.length).toBeGreaterThan(19_000);
    expect(verify(graph!)).toEqual([]);
  });

  test("a column that is used twice at each of 300 steps", () => {
    const body = `${many(300, (i) => `let x${i} = ${i ? `x${i - 1} * x${i - 1}` : "logit * logit"}`)}\nlogit = x299\ntop 40`;
    const { graph } = compiled(inSampler(body));
    expect(graph!.nodes.length).toBeLessThan(1000);
  });

  test.each<[string, string, string]>([
    ["nodes", "nodes", deep(250)],
    ["states", "states", inSampler(`${many(300, (i) => `state x${i}: f32 = ${i}`)}\nlogit += x1`)],
    ["inputs", "inputs", `${many(300, (i) => `input x${i}: f32`)}\n${inSampler(many(300, (i) => `logit += x${i}`))}`],
    ["draws", "draws", inSampler(many(300, (i) => `logit += uniform(${i})`))],
    [
      "parameters",
      "params",
      `sampler s(a: f32) { logit += a }\nchain c(${many(301, (i) => `p${i}: f32 = 1`, ", ")}) = s(p0)`,
    ],
    ["tail stages", "tail", `chain c = ${many(300, () => "host top_k(3)", " |> ")}`],
    ["uniforms", "uniforms", withFactors(many(90, (i) => `logit += t * k * ${i + 2}`))],
    [
      "parts of uniform expressions",
      "uniformParts",
      withFactors(many(20, (i) => `logit += ${many(30, (j) => `t * k * ${i * 30 + j + 2}`, " + ")}`)),
    ],
  ])("too many %s", (_, limit, text) => {
    const { graph, diagnostics } = compiled(text, { chain: "c", limits: { ...OPEN, stages: 4096, params: 300 } });
    expect(graph).toBeUndefined();
    const faults = diagnostics.filter((d) => d.severity === "error" && d.code !== "E0702");
    expect(faults.map((d) => [d.code, d.label])).toEqual([["E0701", `the limit \`${limit}\``]]);
  });

  test("a sum of more uniforms than a uniform expression has levels", () => {
    const params = many(90, (i) => `p${i}: f32 = 1`, ", ");
    const sum = many(90, (i) => `p${i}`, " + ");
    expect(codes(compiled(`sampler s(${params}) { logit += ${sum} }\nchain c = s()`).diagnostics)).toEqual([]);
    const chain = `chain c(${params}) = s(${many(90, (i) => `p${i}`, ", ")})`;
    expect(codes(compiled(`sampler s(${params}) { logit += ${sum} }\n${chain}`).diagnostics)).toEqual(["E0321"]);
  });
});

describe("functions, loops and sets, with the default limits", () => {
  const doubling = many(40, (i) => `fn f${i + 1}(x: f32) -> f32 = f${i}(x) + f${i}(x * 2)`);
  const ids = (count: number): string => many(count, String, ", ");
  test.each<[string, string, string]>([
    [
      "40 functions that call the one before twice",
      `fn f0(x: f32) -> f32 = tanh(x)\n${doubling}\n${inSampler("logit = f40(logit)")}`,
      "E0701 the limit `steps`",
    ],
    [
      "five folds of 64 rounds inside each other",
      inSampler(`logit += ${many(5, (i) => `sum i${i} in 1..64:`, " ")} tanh(logit * i0 * i1 * i2 * i3 * i4)`),
      "E0701 the limit `nodes`",
    ],
    [
      "five repeats of 64 rounds inside each other",
      inSampler(`logit = ${many(5, (i) => `repeat 64 with x${i} = logit:`, " ")} tanh(x0 + x4)`),
      "E0701 the limit `nodes`",
    ],
    ["a set of 4097 ids", inSampler(`keep token in tokens(${ids(4097)})`), "E0701 the limit `setItems`"],
    ["4097 sequences", inSampler(`keep completes([${ids(4097)}]) == 0`), "E0701 the limit `breakers`"],
    ["an ending of 4097 ids", inSampler(`keep ends_with([${ids(4097)}])`), "E0320 "],
    ["65 windows", inSampler(many(65, (i) => `logit *= mean(max(prob), last: ${i + 2})`)), "E0701 the limit `windows`"],
    ["65 stops", inSampler(many(65, (i) => `stop when max(logit) > ${i} as "s"`)), "E0701 the limit `stops`"],
    ["17 writes", inSampler(many(17, (i) => `write "${i}" when step == ${i}`)), "E0701 the limit `writes`"],
    ["a text of 4097 characters", inSampler(`write "${"a".repeat(4097)}" when step == 1`), "E0524 "],
    [
      "33 rules",
      inSampler(`keep allowed("root ::= a")\n${many(33, (i) => `logit *= in_rule("root ::= a", "r${i}") ? 2 : 1`)}`),
      "E0701 the limit `rules`",
    ],
    [
      "a rule of 101 characters",
      inSampler(`keep allowed("root ::= a") logit *= in_rule("root ::= a", "${"r".repeat(101)}") ? 2 : 1`),
      "E0385 ",
    ],
    ["257 measures", inSampler(many(257, (i) => `measure m${i} = max(logit) * ${i}`)), "E0701 the limit `measures`"],
    ["a pattern of 1001 characters", inSampler(`keep token in tokens(/${"a".repeat(1001)}/)`), "E0372 "],
    ["counts inside counts", inSampler("keep token in tokens(/((((a{99}){99}){99}){99}){99}/)"), "E0372 "],
  ])("%s", (_, text, fault) => {
    const { graph, diagnostics } = compileProgram(text);
    expect(graph).toBeUndefined();
    const faults = diagnostics.filter((d) => d.severity === "error");
    expect(faults.map((d) => `${d.code} ${fault.endsWith(" ") ? "" : d.label}`)).toEqual([fault]);
  });

  test("a uniform expression that a `repeat` would square 64 times is computed by the graph", () => {
    const text = "sampler s(a: f32) { logit *= repeat 64 with x = a: x * x + x }\nchain c(a: f32 = 1) = s(a)";
    const { graph, diagnostics } = compileProgram(text);
    expect(diagnostics).toEqual([]);
    expect(graph!.nodes.length).toBeLessThan(64 * 5);
  });

  test("a pattern that backtracks is no slower than its length", () => {
    const graph = graphOf(compileProgram(inSampler(`keep token in tokens(/${"(a|b*)+".repeat(100)}$/)`)));
    const vocabulary = Array.from({ length: 64 }, (_, i) => `${"ab".repeat(i)}c`);
    using evaluator = createEvaluator(graph, 64, { backend: "reference", feed: { vocabulary } });
    // the empty part before the end is in every text
    expect(evaluator.evaluate(new Float32Array(64)).candidates).toHaveLength(64);
  });
});

describe("sources", () => {
  test.each<[string, string, string[]]>([
    ["a sum of 100 000 terms", `const a = ${"1+".repeat(100_000)}1`, ["E0701"]],
    ["a condition of 100 000 terms", inSampler(`keep ${"a and ".repeat(100_000)} true`), ["E0102"]],
    ["a list of 200 000 numbers", `const a = [${"1,".repeat(200_000)}1]`, ["E0102"]],
    ["1 MB of blanks", " ".repeat(1 << 20), ["E0102"]],
    ["256 KB of blanks", " ".repeat(1 << 18), ["E0214"]],
    ["256 KB of comments", "// a comment of some length\n".repeat((1 << 18) / 28), ["E0214"]],
    ["256 KB of blanks in a chain", `chain c =${" ".repeat((1 << 18) - 30)}temp(1)`, ["E0202"]],
    ["256 KB of text", inSampler(`keep allowed("${"a".repeat(1 << 17)}\\n${"b".repeat((1 << 17) - 100)}")`), []],
    [
      "a name of 20 000 letters",
      `sampler ${"a".repeat(20_000)}() { logit += 1 }\nchain c = ${"a".repeat(20_001)}()`,
      ["E0701"],
    ],
    ["50 000 unknown imports", `import { ${many(50_000, (i) => `n${i}`, ", ")} } from "std"`, ["E0102"]],
    ["20 000 faulty declarations", many(20_000, () => "const x = = 1"), ["E0102"]],
    ["control characters", inSampler("logit += \u001b[31m1"), ["E0101"]],
  ])("%s, with the default limits", (_, text, expected) => {
    const { diagnostics } = compileProgram(text);
    expect(codes(diagnostics.filter((d) => d.severity === "error"))).toEqual(expected);
  });

  test("3 000 unknown names, with the limits off", () => {
    const { diagnostics } = compiled(inSampler(many(3000, (i) => `logit += name${i}`)));
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.at(-1)?.message).toBe("and 2900 more");
    expect(formatDiagnostics(diagnostics).length).toBeLessThan(100_000);
  });

  test("2 000 faulty declarations, with the limits off", () => {
    const { diagnostics } = compiled(many(2000, (i) => `const x${i} = = 1`));
    expect(codes(diagnostics)).toEqual(["E0101", "E0702"]);
    expect(diagnostics.at(-1)?.message).toBe("and 1900 more");
    // all that are shown say what was expected
    expect(diagnostics.slice(0, 100).every((d) => d.label?.startsWith("expected"))).toBe(true);
  });

  test("5 000 unknown imports, with the limits off", () => {
    const { diagnostics } = compiled(
      `import { ${many(5000, (i) => `n${i}`, ", ")} } from "std"\n${inSampler("logit += 1")}`,
    );
    expect(codes(diagnostics)).toEqual(["E0204", "E0702"]);
  });

  test("a name of 20 000 letters gets no suggestion, with the limits off", () => {
    const { diagnostics } = compiled(
      `sampler ${"a".repeat(20_000)}() { logit += 1 }\nchain c = ${"a".repeat(20_001)}()`,
    );
    expect(diagnostics.map((d) => [d.code, d.help])).toEqual([["E0202", undefined]]);
  });

  test("sums of 2 500 and 5 000 terms take the parser steps of their length", () => {
    for (const terms of [2500, 5000])
      expect(codes(compiled(`const a = ${"1+".repeat(terms)}1\n${inSampler("logit += a")}`).diagnostics)).toEqual([
        "E0103",
      ]);
  });
});

test("a seed out of range is a diagnostic, however it is given", () => {
  for (const seed of ["-1", "4294967296", "-2147483648"]) {
    const text = `sampler s(static p: i32) { logit *= uniform(p) }\nchain c = s(${seed})`;
    expect(codes(compiled(text).diagnostics)).toEqual(["E0415"]);
  }
});

test("control characters are printed as escapes", () => {
  const text = `import { temp } from "std"\nchain a\u001b[31m\u0007\u009b\u202e = temp(1)\nchain b = tmep(1)`;
  const printed = formatDiagnostics(compileProgram(text).diagnostics);
  expect(printed).toMatch(/chain a\\u\{1b\}\[31m\\u\{7\}\\u\{9b\}\\u\{202e\} = temp/);

  expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  // the caret is below the character that it means
  const [line, caret] = printed.split("\n").slice(3, 5) as [string, string];
  expect(line.slice(caret.indexOf("^")).startsWith("[31m")).toBe(true);
});

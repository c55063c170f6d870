/** A graph spec is untrusted: each broken one is refused with the path of its error, and none crashes the host. */
import { describe, expect, test } from "@jest/globals";
import type { Graph } from "../../compiler/graph/graph.js";
import { fromSpec, readSpec, SpecError, writeSpec } from "../../compiler/graph/json.js";
import { LIMITS } from "../../compiler/limits/format.js";
import { compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import { InputError } from "../../runtime/core/errors.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { acceptToken, startSequence, uniformsOf, withUniforms } from "../../runtime/sequence/sequence.js";
import { saveSequence } from "../../runtime/sequence/savedSequence.js";

type Json = Record<string, unknown>;

/** A graph with every kind of part that these tests break. */
const base = (): Json => ({
  ggsl: 1,
  name: "foreign",
  nodes: [
    { op: "input", inputs: [], attrs: { index: 0, dtype: "f32", dim: "V" }, dtype: "f32", dim: "V" },
    { op: "argmax", inputs: [0], attrs: {}, dtype: "i32", dim: 1 },
    { op: "uniform", inputs: [], attrs: { index: 0 }, dtype: "f32", dim: 1 },
  ],
  params: [
    { name: "t", type: "f32", default: 1, range: { min: 0, max: 2 } },
    { name: "s", type: "seed", default: "random", range: {} },
  ],
  draws: [{ kind: "f64", seed: { param: "s" } }],
  states: [{ name: "n", init: 0, next: 2 }],
  uniforms: [{ name: "u", expr: ["add", { param: "t" }, { draw: 0 }] }],
  inputs: [
    { name: "logits", dtype: "f32", dim: "V", source: { kind: "logits" } },
    { name: "ids", dtype: "i32", dim: 8, source: { kind: "ids", feature: 0 } },
    { name: "values", dtype: "f32", dim: 8, source: { kind: "values", feature: 0 } },
    { name: "row", dtype: "f32", dim: "V", source: { kind: "dense", feature: 1 } },
  ],
  features: [
    { form: { kind: "sparse", capacity: 8, fill: 0 }, from: { kind: "repeat_len", last: 8, breakers: ["\n", 3] } },
    { form: { kind: "dense" }, from: { kind: "input", name: "row" } },
  ],
  stages: [{ name: "foreign()", origin: { file: "f.ggsl", line: 1, column: 1 } }],
  tail: [
    { name: "top_k", args: { k: 40 } },
    { name: "dist", args: { seed: { param: "s" } } },
  ],
  outputs: { sampled: 1, logits: 0 },
});

/** The base with the value at a path replaced; `undefined` removes it. */
function broken(path: string, value: unknown): Json {
  const spec = base();
  const steps = path.split(".");
  const last = steps.pop()!;
  const target = steps.reduce<Json>((at, step) => at[step] as Json, spec);
  if (value === undefined) Reflect.deleteProperty(target, last);
  else Object.defineProperty(target, last, { value, enumerable: true, configurable: true, writable: true });
  return spec;
}

function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(SpecError);
    return (error as Error).message;
  }
  throw new Error("the spec was not refused");
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

const many = <T>(count: number, entry: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => entry(i));

/** The path to break, the value put there, and the error. */
type Case = readonly [path: string, value: unknown, fault: RegExp];

function refuses(title: string, cases: readonly Case[]): void {
  describe(title, () => {
    test.each(cases.map(([path, value, fault]) => ({ path, value, fault })))(
      "$path: $fault",
      ({ path, value, fault }) => expect(faultOf(() => fromSpec(broken(path, value)))).toMatch(fault),
    );
  });
}

test("the graph that the others break is valid", () => {
  expect(fromSpec(base()).name).toBe("foreign");
  expect(readSpec(JSON.stringify(base())).tail).toHaveLength(2);
});

refuses("features", [
  ["features.0.form", {}, /features\[0\]\.form\.kind: expected one of dense, bits, sparse/],
  ["features.0.form", [], /features\[0\]\.form: expected an object, found a list/],
  ["features.0.form.kind", "constructor", /features\[0\]\.form\.kind/],
  ["features.0.form.capacity", 0, /features\[0\]\.form\.capacity: expected V or a number of rows/],
  ["features.0.form.fill", null, /features\[0\]\.form\.fill: expected a finite f32 number/],
  ["features.0.form.fill", 1e39, /features\[0\]\.form\.fill/],
  ["features.1.form.fill", 0, /features\[1\]\.form: unknown member "fill"/],
  ["features.0.from", null, /features\[0\]\.from: expected an object, found null/],
  ["features.0.from.kind", "text", /features\[0\]\.from\.kind: expected one of occurrences,/],
  ["features.0.from.last", 1.5, /features\[0\]\.from\.last: expected an integer/],
  ["features.0.from.last", undefined, /features\[0\]\.from\.last: expected an integer/],
  ["features.0.from.breakers", "\n", /features\[0\]\.from\.breakers: expected a list/],
  ["features.0.from.breakers", [-1], /features\[0\]\.from\.breakers/],
  ["features.0.from.breakers", [["\n"]], /features\[0\]\.from\.breakers/],
  ["features.0.from.breakers", many(LIMITS.list + 1, () => 1), /features\[0\]\.from\.breakers/],
  ["features.0.from", { kind: "allowed", grammar: "" }, /features\[0\]: `allowed` must be bits or dense, found sparse/],
  ["features.1.from", { kind: "bias" }, /features\[1\]: `bias` must be sparse, found dense/],
  ["features.1.from", { kind: "allowed" }, /features\[1\]\.from\.grammar: expected a text/],
  ["features.0.from", { kind: "guide", name: "negative" }, /features\[0\]: `guide` must be dense, found sparse/],
  ["features.1.from", { kind: "guide" }, /features\[1\]\.from\.name: expected a text/],
  ["features.1.from.name", 7, /features\[1\]\.from\.name: expected a text/],
]);

refuses("inputs", [
  ["inputs.1.source.feature", 2, /inputs\[1\]: there is no feature 2/],
  ["inputs.1.source.feature", undefined, /inputs\[1\]\.source\.feature: expected an index/],
  ["inputs.1.source.feature", 1, /inputs\[1\]: feature 1 is dense, so it has no ids/],
  ["inputs.1.source.kind", "logits", /inputs\[1\]\.source: unknown member "feature"/],
  ["inputs.1.source", { kind: "logits" }, /inputs\[1\]: only the first input can be the logits/],
  ["inputs.1.dtype", "f32", /inputs\[1\]: the ids of feature 0 must be i32\[8\], found f32\[8\]/],
  ["inputs.2.dim", "V", /inputs\[2\]: the values of feature 0 must be f32\[8\], found f32\[V\]/],
  ["inputs.3.dim", 8, /inputs\[3\]: the dense of feature 1/],
  [
    "inputs.2",
    { name: "x", dtype: "i32", dim: 8, source: { kind: "ids", feature: 0 } },
    /features\[0\]: exactly one input must have its ids, found 2/,
  ],
]);

refuses("the host tail", [
  ["tail.0.name", "constructor", /tail\[0\] "constructor": unknown tail stage/],
  ["tail.0.args", [], /tail\[0\]\.args: expected an object, found a list/],
  ["tail.0.args.p", 1, /tail\[0\] "top_k": unknown argument "p"/],
  ["tail.0.args.__proto__", 1, /tail\[0\] "top_k": unknown argument "__proto__"/],
  ["tail.0.args.k", "40", /tail\[0\] "top_k": `k` must be a finite number, found "40"/],
  ["tail.0.args.k", null, /tail\[0\] "top_k": `k` must be a finite number, found null/],
  ["tail.0.args.k", 1.5, /`k` must be a 32-bit integer, found 1\.5/],
  ["tail.0.args.k", 2 ** 31, /`k` must be a 32-bit integer/],
  ["tail.0", { name: "penalties", args: { repeat: 0 } }, /`repeat` must be > 0, found 0/],
  ["tail.0", { name: "top_p", args: { p: 1e39 } }, /`p` must be a finite number/],
  ["tail.0", { name: "grammar", args: {} }, /tail\[0\] "grammar": the argument `text` is missing/],
  ["tail.0", { name: "grammar", args: { text: 1 } }, /`text` must be a text/],
  ["tail.0", { name: "dry", args: { breakers: [nested(3)] } }, /`breakers` must be a list of at most \d+ texts/],
  ["tail.1.args.seed", -1, /`seed` must be an integer from 0/],
  ["tail.1.args.seed", null, /`seed` must be an integer from 0/],
  ["tail.1.args.seed", { param: "t" }, /tail\[1\] "dist": `seed` must be .* or a seed parameter, found an object/],
  ["tail.2", { name: "top_k", args: {} }, /tail\[2\]: the stage before it picks the token/],
]);

refuses("draws and expressions", [
  ["draws.0.seed", null, /draws\[0\]\.seed: expected an integer from 0 to 4294967295, .* found null/],
  ["draws.0.seed", 2 ** 32, /draws\[0\]\.seed/],
  ["draws.0.seed", [], /draws\[0\]\.seed: .* found a list/],
  ["draws.0.seed", { param: "s", x: 1 }, /draws\[0\]\.seed/],
  ["draws.0.seed", { param: "t" }, /draw 0: its seed .* parameter of type seed/],
  ["draws.0.seed", { param: "nobody" }, /draw 0: its seed/],
  ["draws.0.stream", 0, /draws\[0\]\.stream: expected an integer from 1 to 4294967295, found 0/],
  ["draws.0.stream", 2 ** 32, /draws\[0\]\.stream/],
  ["draws.0.stream", 1.5, /draws\[0\]\.stream/],
  ["draws.0.stream", null, /draws\[0\]\.stream/],
  ["draws.0.stream", "1", /draws\[0\]\.stream/],
  ["draws.0.at", { draw: 0 }, /draw 0: there is no draw 0/],
  ["draws.0.at", null, /draw 0: null is not an expression/],
  ["uniforms.0.expr", nested(10), /uniform 0: unknown operation a list/],
  ["uniforms.0.expr", ["neg", nested(200_000)], /uniform 0: unknown operation a list/],
  ["uniforms.0.expr", { param: nested(200_000) }, /uniform 0: unknown parameter a list/],
  ["uniforms.0.expr", { state: "0" }, /uniform 0: there is no state "0"/],
  ["uniforms.0.expr", ["toString", 1], /uniform 0: unknown operation "toString"/],
  ["uniforms.0.expr", ["add", 1], /uniform 0: `add` takes 2 operands, found 1/],
  ["states.0.init", { draw: 1 }, /state 0 "n": there is no draw 1/],
]);

test("the limit on expressions applies to the whole spec", () => {
  const tree = (depth: number): unknown => (depth === 0 ? 1 : ["add", tree(depth - 1), tree(depth - 1)]);
  const uniforms = many(40, () => ({ name: "u", expr: tree(10) }));
  expect(faultOf(() => fromSpec(broken("uniforms", uniforms)))).toMatch(/uniform 3\d: all expressions together/);
  const deep = many(LIMITS.uniformDepth + 1, () => 0).reduce<unknown>((e) => ["neg", e], 1);
  expect(faultOf(() => fromSpec(broken("uniforms.0.expr", deep)))).toMatch(/uniform 0: .* nested more than 64 deep/);
});

const param = (fields: Json): Json => ({ name: "p", type: "f32", default: 0, range: {}, ...fields });

refuses("parameters", [
  ["params.2", param({ type: "i32", default: 1.5 }), /params\[2\] "p": its default must be an integer, found 1\.5/],
  ["params.2", param({ type: "bool", default: 2 }), /params\[2\] "p": its default must be true or false, found 2/],
  ["params.2", param({ type: "seed", default: -1 }), /params\[2\] "p": its default must be a seed/],
  ["params.2", param({ default: 1e39 }), /params\[2\] "p": its default must be a finite number/],
  ["params.2", param({ default: "random" }), /params\[2\] "p": only a seed can be random by default/],
  ["params.2", param({ range: { min: 2, max: 1 } }), /params\[2\] "p": no number is in \[2, 1\]/],
  ["params.2", param({ default: 3, range: { max: 1 } }), /params\[2\] "p": its default must be <= 1, found 3/],
  ["params.2", param({ default: 1, range: { min: 1, max: 1, minExcluded: true } }), /its default must be > 1 and <= 1/],
  ["params.2", param({ name: "t" }), /params: two have the same name/],
  ["params", many(LIMITS.params + 1, (i) => param({ name: `p${i}` })), /params: at most 4096 are allowed/],
]);

refuses("sizes and foreign values", [
  ["tail", many(LIMITS.tail + 1, () => ({ name: "top_k", args: {} })), /tail: at most 256 are allowed/],
  [
    "features",
    many(LIMITS.features + 1, () => ({ form: { kind: "dense" }, from: { kind: "bias" } })),
    /features: at most/,
  ],
  ["name", "x".repeat(LIMITS.name + 1), /spec\.name: expected a text of at most 10000 characters, found "xxx/],
  [
    "features.1.from",
    { kind: "allowed", grammar: "x".repeat(LIMITS.text + 1) },
    /features\[1\]\.from\.grammar: expected a text/,
  ],
  ["name", nested(200_000), /spec\.name: .* found a list/],
  ["nodes", nested(200_000), /spec\.nodes\[0\]: expected an object, found a list/],
  ["nodes", [, 1], /spec\.nodes\[0\]: expected an object, found undefined/],
  ["nodes.1.attrs", { k: nested(200_000) }, /spec\.nodes\[1\]\.attrs: expected an object of numbers and short texts/],
  ["nodes.1.attrs", { k: "x".repeat(61) }, /spec\.nodes\[1\]\.attrs/],
  ["nodes.1.attrs.__proto__", 1, /node %1 \(argmax\): unknown attribute "__proto__"/],
  ["nodes.1.op", "__proto__", /node %1 .*: unknown op/],
  ["nodes.1.op", "toString", /node %1 .*: unknown op/],
  ["nodes.1.origin", { stage: 1, file: "f", line: 1, column: 1 }, /node %1 .*: there is no stage 1/],
  ["nodes.1", { op: "clamp", inputs: [0], attrs: { lo: 1, hi: 0 }, dtype: "f32", dim: "V" }, /`lo` is above `hi`/],
  ["name", 10n, /spec\.name: .* found 10/],
  ["name", Symbol("x"), /spec\.name: .* found Symbol\(x\)/],
  ["__proto__", {}, /spec: unknown member "__proto__"/],
]);

test("versions: a graph with nothing newer is written as version 2, earlier and later versions are read", () => {
  const { graph } = compilePipeline("top_k(2) |> greedy()");
  const written = JSON.parse(writeSpec(graph)) as Json;
  expect(written["ggsl"]).toBe(2);
  for (const ggsl of [1, 2, 3]) expect(fromSpec({ ...written, ggsl }).outputs).toEqual(graph.outputs);
  for (const ggsl of [0, 4, 2.5, "2"])
    expect(faultOf(() => fromSpec({ ...written, ggsl }))).toMatch(
      /spec\.ggsl: expected one of the versions 1, 2, 3, found/,
    );
});

test("members of an object's prototype are not members of a spec", () => {
  expect(faultOf(() => fromSpec(Object.create(base())))).toMatch(/spec\.name: .* found undefined/);
  expect(faultOf(() => readSpec('{"__proto__": {"ggsl": 1}}'))).toMatch(/unknown member "__proto__"/);
  expect(({} as Json)["ggsl"]).toBeUndefined();
});

test("a text that is nested too deep, or too long, is refused", () => {
  const brackets = "[".repeat(200_000) + "]".repeat(200_000);
  expect(faultOf(() => readSpec(brackets))).toMatch(/spec: expected an object, found a list/);
  expect(faultOf(() => readSpec("[".repeat(200_000)))).toMatch(/it is not JSON/);
  const inside = JSON.stringify(broken("uniforms.0.expr", "HERE")).replace('"HERE"', brackets);
  expect(faultOf(() => readSpec(inside))).toMatch(/uniform 0: unknown operation a list/);
  expect(faultOf(() => readSpec(" ".repeat(LIMITS.spec + 1)))).toMatch(/at most 67108864 are allowed/);
});

test("of many errors the first ones are reported", () => {
  const nodes = many(1000, () => ({ op: "nothing", inputs: [], attrs: {}, dtype: "f32", dim: 1 }));
  const message = faultOf(() => fromSpec(broken("nodes", nodes)));
  expect(message.split("\n").length).toBeLessThan(25);
  expect(message).toMatch(/and \d+ more$/);
});

/** Replaces every part of the base in turn by values of other kinds. */
test("whatever a part is replaced by, the only error is a SpecError", () => {
  const strange = [null, [], {}, "", -1, 1e400, 0.5, true, "__proto__", { param: null }, { kind: "ids" }, nested(9)];
  const paths = (value: unknown, path: string): string[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([k, v]) => [`${path}${k}`, ...paths(v, `${path}${k}.`)])
      : [];
  for (const path of paths(base(), ""))
    for (const value of [...strange, undefined]) {
      try {
        writeSpec(fromSpec(broken(path, value)));
      } catch (error) {
        if (!(error instanceof SpecError)) throw new Error(`${path} = ${String(value)}`, { cause: error });
      }
    }
});

const PROGRAMS: readonly (readonly [string, Chain])[] = [
  ["a pipeline", compilePipeline("penalties(64, 1.1) |> dry(0.8) |> top_k(40) |> xtc(0.5, 0.1) |> dist(5)")],
  [
    "a host tail",
    compile('chain c(s: seed = 3) = host dry(0.8, breakers: ["\\n", 13]) |> host top_k(5) |> host dist(s)'),
  ],
];
test.each(PROGRAMS)("the compiler's graphs are read back: %s", (_, { graph, rowsGraph }) => {
  for (const g of [graph, rowsGraph]) expect(readSpec(writeSpec(g))).toEqual(JSON.parse(JSON.stringify(g)));
});

// ---------------------------------------------------------------- running a foreign graph

/** The base without parts that must be fed. */
const runnable = (changes: Json): Json => ({
  ...base(),
  inputs: [(base()["inputs"] as Json[])[0]],
  features: [],
  tail: [],
  ...changes,
});

describe("tokens outside the vocabulary", () => {
  const constant = (value: number, dim: number): Json[] => [
    { op: "input", inputs: [], attrs: { index: 0, dtype: "f32", dim: "V" }, dtype: "f32", dim: "V" },
    { op: "fill", inputs: [], attrs: { value, dim }, dtype: "f32", dim },
    { op: "cast", inputs: [1], attrs: { to: "i32" }, dtype: "i32", dim },
  ];
  const graphOf = (token: number, outputs: Json, dim: number): Graph =>
    fromSpec(runnable({ nodes: constant(token, dim), states: [], outputs }));
  const rows = { candidates: 2, logits: 1, probs: 1 };

  test.each([4, -1, 1e6])("%d is refused by the reference interpreter", (token) => {
    for (const graph of [graphOf(token, { sampled: 2 }, 1), graphOf(token, rows, 3)]) {
      using evaluator = createEvaluator(graph, 4, { backend: "reference" });
      expect(() => evaluator.evaluate([0, 1, 2, 3])).toThrow(InputError);
      expect(() => evaluator.evaluate([0, 1, 2, 3])).toThrow(`${token}, which is not a token of a vocabulary of 4`);
    }
  });

  // a device would use a wrong id before the host sees it, so the graph builder clamps positions and ids
  test.each([4, -1, 1e6])("%d never comes out of the native runtime", (token) => {
    const inside = token < 0 ? 0 : 3;
    using picking = createEvaluator(graphOf(token, { sampled: 2 }, 1), 4, { backend: "cpu" });
    expect(picking.evaluate([0, 1, 2, 3]).token).toBe(inside);
    using giving = createEvaluator(graphOf(token, rows, 3), 4, { backend: "cpu" });
    for (const candidate of giving.evaluate([0, 1, 2, 3]).candidates) expect(candidate.token).toBe(inside);
  });

  for (const backend of ["reference", "cpu", "wasm"] as const) {
    test(`a token inside on ${backend}`, () => {
      const graph = fromSpec(runnable({ nodes: constant(3, 1), states: [], outputs: { sampled: 2 } }));
      using evaluator = createEvaluator(graph, 4, { backend });
      expect(evaluator.evaluate([0, 1, 2, 3]).token).toBe(3);
    });
  }
});

test("a graph that needs too much memory does not start", () => {
  const first = (base()["nodes"] as Json[])[0]!;
  const exp = (i: number): Json => ({ op: "exp", inputs: [i], attrs: {}, dtype: "f32", dim: "V" });
  const graph = fromSpec(
    runnable({ nodes: [first, ...many(10_000, exp)], states: [], uniforms: [], draws: [], outputs: { logits: 9999 } }),
    { limits: { work: 1e12 } },
  );
  for (const backend of ["reference", "cpu", "wasm"] as const)
    expect(() => createEvaluator(graph, 200_000, { backend })).toThrow(InputError);
});

describe("draws by number", () => {
  const drawing = (at: unknown, reads = 1): Json =>
    runnable({
      draws: [{ kind: "f64", seed: 7, at }],
      uniforms: many(reads, () => ({ name: "u", expr: { draw: 0 } })),
    });
  const none = new Float32Array(1);

  test("a draw with a huge index is refused before anything is drawn", () => {
    const sequence = startSequence(fromSpec(drawing(1_000_000, 50)), 4);
    const before = saveSequence(sequence).streams;
    expect(() => uniformsOf(sequence)).toThrow(/expected a later number, at most 1000 per token/);
    expect(saveSequence(sequence).streams).toEqual(before);
  });

  test("a draw with several readers is computed once per token", () => {
    const graph = fromSpec(drawing(["mul", "step", 1000], 4096));
    let sequence = startSequence(graph, 4);
    for (let i = 0; i < 100; i++) {
      expect(new Set(uniformsOf(sequence)).size).toBe(1);
      sequence = acceptToken(sequence, 0, none);
    }
    expect(saveSequence(sequence).streams[0]!.count).toBe(99_000);
  });

  test("skipping draws gives the same draw as taking all in order", () => {
    const inTurn = fromSpec(
      runnable({ draws: [{ kind: "f64", seed: 7 }], uniforms: [{ name: "u", expr: { draw: 0 } }] }),
    );
    let sequence = startSequence(inTurn, 4);
    for (let i = 0; i < 30; i++) sequence = acceptToken(sequence, 0, none);
    expect(uniformsOf(startSequence(fromSpec(drawing(30)), 4))).toEqual(uniformsOf(sequence));
  });

  test("a stream that is reseeded late in the text catches up", () => {
    const graph = fromSpec({ ...drawing("step"), draws: [{ kind: "f64", seed: { param: "s" }, at: "step" }] });
    let sequence = startSequence(graph, 4, { uniforms: { s: 1 } });
    for (let i = 0; i < 1500; i++) sequence = acceptToken(sequence, 0, none);
    const same = withUniforms(sequence, { s: 1 });
    expect(uniformsOf(same)).toEqual(uniformsOf(sequence));
  });
});

test("a seed parameter named like a method of Object starts its stream only when it is set", () => {
  const graph = fromSpec(
    runnable({
      params: [param({ name: "toString", type: "seed", default: 1 }), param({ name: "t" })],
      draws: [{ kind: "f64", seed: { param: "toString" } }],
    }),
  );
  const sequence = acceptToken(startSequence(graph, 4), 0, new Float32Array(1));
  expect(withUniforms(sequence, { t: 0.5 }).streams[0]!.count).toBe(1);
  expect(withUniforms(sequence, { toString: 2 }).streams[0]!.count).toBe(0);
});

test("an output that a chain lacks is an error that lists the existing ones", () => {
  const ask = (outputs: readonly ("sampled" | "candidates" | "logits")[]) => (): unknown =>
    compilePipeline("temp(0.8)", { outputs });
  expect(ask(["sampled"])).toThrow(RangeError);
  expect(ask(["sampled"])).toThrow(/the chain `chain` has none of the requested outputs \(sampled\)/);
  expect(ask(["candidates"])).toThrow(/"candidates" if it reorders rows/);
  expect(ask(["sampled", "logits"])).not.toThrow();
});

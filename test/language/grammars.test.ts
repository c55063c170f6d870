/** Grammars that are given with the request, against a calculation here. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { chainOf, compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import { createEvaluator, type EvaluateBackend, type Evaluator } from "../../runtime/chain/evaluate.js";
import type { Generation } from "../../runtime/generation/generate.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import type { UniformValues } from "../../runtime/sequence/sequence.js";
import { costOf } from "../../compiler/graph/cost.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { fromSpec, readSpec, toSpec } from "../../compiler/graph/json.js";
import { printGraph } from "../../compiler/graph/text.js";
import { DEMO_MODEL } from "../model/file.js";

/** More than one word of bits, and not a multiple of one. */
const TEXTS = [...Array.from("abcdefghijklmnopqrstuvwxyz0123456789"), "ab", "yes", "no", "12"];
const V = TEXTS.length;
const LOGITS = Array.from({ length: V }, (_, i) => Math.sin(3 * i) * 2);
const BACKENDS: readonly EvaluateBackend[] = ["reference", "cpu", "wasm"];

const program = (params: string, stages: string): Chain =>
  compile(`import { constrain, greedy } from "std"
chain c(${params}) = ${stages} |> greedy()`);
const CHAIN = program("g: grammar", "constrain(g)");
const DIGITS = { gbnf: "root ::= [0-9]+" };
const YES = { gbnf: 'root ::= "yes" | "no"' };

const open = (chain: Chain, backend: EvaluateBackend, uniforms: UniformValues): Evaluator =>
  createEvaluator(chain.rowsGraph, V, { backend, uniforms, feed: { vocabulary: TEXTS } });

/** The best of the tokens that `is` accepts. */
const best = (is: (text: string) => boolean): number =>
  [...TEXTS.keys()].filter((i) => is(TEXTS[i]!)).reduce((a, b) => (LOGITS[a]! >= LOGITS[b]! ? a : b));

describe.each(BACKENDS)("on %s", (backend) => {
  test("each request has a grammar of its own", () => {
    for (const [g, is] of [
      [DIGITS, (text: string) => /^[0-9]+$/.test(text)],
      [YES, (text: string) => "yes".startsWith(text) || "no".startsWith(text)],
      [{ choices: ["ab", "b7"] }, (text: string) => ["a", "ab", "b"].includes(text)],
      [{ regex: "z+" }, (text: string) => text === "z"],
    ] as const) {
      using evaluator = open(CHAIN, backend, { g });
      expect(evaluator.evaluate(LOGITS).token).toBe(best(is));
    }
  });

  test("a grammar that is set later begins at the next token", () => {
    using evaluator = open(CHAIN, backend, { g: YES });
    const y = TEXTS.indexOf("y");
    const only = LOGITS.map((x, i) => (i === y ? 100 : x));
    expect(evaluator.evaluate(only).token).toBe(y);
    evaluator.accept();
    expect(evaluator.evaluate(LOGITS).token).toBe(TEXTS.indexOf("e"));
    evaluator.setUniforms({ g: DIGITS });
    expect(evaluator.evaluate(LOGITS).token).toBe(best((text) => /^[0-9]+$/.test(text)));
  });

  test("a default, a text of the program, and a sampler's own parameter", () => {
    const standard = program('g: grammar = "root ::= [x-z]"', "constrain(g)");
    using own = open(standard, backend, {});
    expect(own.evaluate(LOGITS).token).toBe(best((text) => /^[xyz]$/.test(text)));
    using given = open(standard, backend, { g: DIGITS });
    expect(given.evaluate(LOGITS).token).toBe(best((text) => /^[0-9]+$/.test(text)));
    using constant = open(compilePipeline('constrain("root ::= [x-z]") |> greedy()'), backend, {});
    expect(constant.evaluate(LOGITS).token).toBe(best((text) => /^[xyz]$/.test(text)));
  });
});

test("the grammar is packed, and the rest of the graph is as it was", () => {
  const { graph } = CHAIN;
  const dense: Graph = {
    ...graph,
    features: graph.features.map((f) => ({ ...f, form: { kind: "dense" } })),
    inputs: graph.inputs.map((input) =>
      input.source.kind === "bits" ? { ...input, source: { ...input.source, kind: "dense" } } : input,
    ),
  };
  expect(printGraph(graph)).toBe(printGraph(dense).replace("allowed: f32[V]", "allowed: bits[V]"));
  const [packed, whole] = [costOf(graph, 128_256), costOf(dense, 128_256)];
  expect(packed.nodes).toBe(whole.nodes + 1);
  expect(whole.uploadBytes - packed.uploadBytes).toBe(4 * 128_256 - 128_256 / 4);
  // a spec of an earlier compiler
  const old = readSpec(JSON.stringify(toSpec(dense)));
  for (const backend of BACKENDS) {
    using evaluator = createEvaluator(old, V, { backend, uniforms: { g: DIGITS }, feed: { vocabulary: TEXTS } });
    expect(evaluator.evaluate(LOGITS).token).toBe(best((text) => /^[0-9]+$/.test(text)));
  }
});

test("a spec keeps the parameter", () => {
  const spec = toSpec(program('/// obeyed\ng: grammar = "root ::= [0-9]"', "constrain(g)").graph);
  expect(spec.grammars).toEqual([{ name: "g", default: "root ::= [0-9]", doc: "obeyed" }]);
  expect(fromSpec(JSON.parse(JSON.stringify(spec)))).toEqual(expect.objectContaining({ grammars: spec.grammars }));
  const faulty = (change: object) => () => readSpec(JSON.stringify({ ...spec, ...change }));
  expect(faulty({ grammars: [] })).toThrow('features[0]: there is no grammar "g"');
  expect(faulty({ grammars: [{ name: "g" }, { name: "g" }] })).toThrow("two parameters have the same name");
});

test("what is wrong is an InputError before anything runs", () => {
  const opened = (g?: unknown) => () => open(CHAIN, "reference", (g === undefined ? {} : { g }) as UniformValues);
  expect(opened()).toThrow(expect.objectContaining({ name: "InputError", code: "MISSING_GRAMMAR" }));
  expect(opened(3)).toThrow("`g`: a grammar must be an object with one of `gbnf`");
  expect(opened({ gbnf: "root ::= [a", regex: "a" })).toThrow("`g`: a grammar must be an object with one of");
  expect(opened({ gbnf: "root ::= [a" })).toThrow(expect.objectContaining({ name: "InputError" }));
  const number = program('x: f32 = 1, g: grammar = "root ::= [0-9]"', "constrain(g)");
  expect(() => open(number, "reference", { x: DIGITS })).toThrow("`x` is not a grammar, found an object");
});

test("a constrained chain has the grammar in front", () => {
  const chain = compilePipeline("greedy()", { constrained: true });
  expect(chain.graph.grammars).toEqual([{ name: "grammar" }]);
  using evaluator = open(chain, "reference", { grammar: DIGITS });
  expect(evaluator.evaluate(LOGITS).token).toBe(best((text) => /^[0-9]+$/.test(text)));
  // a chain that has a grammar is left as it is, and a name that is taken is not hidden
  expect(
    compile('import { constrain, greedy } from "std"\nchain c(g: grammar) = constrain(g) |> greedy()', {
      constrained: true,
    }).graph,
  ).toEqual(CHAIN.graph);
  const taken = compile('import { temp, greedy } from "std"\nchain c(grammar: f32 = 2) = temp(grammar) |> greedy()', {
    constrained: true,
  });
  expect(taken.graph.grammars).toEqual([{ name: "grammar_" }]);
});

describe("in a model's graph", () => {
  let model: Model;
  beforeAll(async () => {
    model = await loadModel(DEMO_MODEL, { backend: "cpu" });
  });
  afterAll(() => model[Symbol.dispose]());

  const textOf = async (generation: Generation): Promise<string> => {
    let text = "";
    for await (const piece of generation) text += piece.text;
    return text;
  };
  const chain = compile(`import { constrain, dist } from "std"
chain c(g: grammar, seed: seed = 1) = constrain(g) |> dist(seed)`);

  /** A grammar that no text of a few tokens ends. */
  const long = (characters: string): UniformValues => ({ g: { gbnf: `root ::= ${characters}{90}` } });

  const oneUpload = (): number => model.info.vocabSize / 4 + 4 * chain.graph.uniforms.length;

  /** Two texts of two requests each, with these grammars. */
  async function run(grammars: readonly UniformValues[]): Promise<{ texts: string[]; builds: number; bytes: number }> {
    using batch = model.batch({ sequences: 2 });
    const texts: string[] = [];
    let [builds, bytes] = [0, 0];
    for (const pair of [grammars.slice(0, 2), grammars.slice(2)]) {
      const generations = pair.map((uniforms) => batch.add("In the", { chain, uniforms, maxTokens: 8 }));
      texts.push(...(await Promise.all(generations.map(textOf))));
      const stats = generations[0]!.stats();
      // the graph of a step also depends on which texts are ready
      [builds, bytes] = [stats.reserveBuilds + stats.probeBuilds, stats.uploadBytes / stats.setInputs];
    }
    return { texts, builds, bytes };
  }

  test("sequences and requests with different grammars share one graph, and upload a bit for each token", async () => {
    const same = await run(["[0-9]", "[0-9]", "[0-9]", "[0-9]"].map(long));
    const kinds = ["[0-9]", "[a-f]", "[x-z]", "[A-C]"].map(long);
    const different = await run(kinds);
    [/^[0-9]+$/, /^[a-f]+$/, /^[x-z]+$/, /^[A-C]+$/].forEach((pattern, i) =>
      expect(different.texts[i]).toMatch(pattern),
    );
    expect(different.builds).toBe(same.builds);
    expect(different.bytes).toBeLessThanOrEqual(2 * oneUpload());
  });

  test("a grammar that is set in the middle of a text needs no new graph", async () => {
    const run = async (change?: UniformValues): Promise<{ text: string; builds: number }> => {
      using batch = model.batch({ sequences: 1 });
      const generation = batch.add("In the", { chain, uniforms: long("[0-9]"), maxTokens: 8 });
      let text = "";
      for await (const piece of generation) {
        text += piece.text;
        if (change && /^[0-9]/.test(text)) generation.setUniforms(change);
        change = undefined;
      }
      const { graphBuilds: builds, uploadBytes, setInputs } = generation.stats();
      expect(uploadBytes / setInputs).toBe(oneUpload());
      return { text, builds };
    };
    const plain = await run();
    const changed = await run(long("[a-f]"));
    expect(changed.text).toMatch(/^[0-9]+[a-f]+$/);
    expect(changed.builds).toBe(plain.builds);
  });

  test("a saved sequence goes on in its grammar", async () => {
    const g = { gbnf: 'root ::= "a" [0-9] "b" [0-9] "c" [0-9] "d"' };
    const request = { chain, uniforms: { g, seed: 7 } };
    const whole = await textOf(model.generate("In the", { ...request, maxTokens: 20 }));
    expect(whole).toMatch(/^a\db\dc\dd$/);
    const first = model.generate("In the", { ...request, maxTokens: 3 });
    const begun = await textOf(first);
    const saved = first.save();
    const sequence = JSON.parse(JSON.stringify(saved.sequence)) as typeof saved.sequence;
    expect(sequence).toMatchObject({ grammars: { g } });
    const rest = await textOf(model.generate(saved.tokens, { chain, resume: sequence, maxTokens: 20 }));
    expect(begun + rest).toBe(whole);
  });
});

test("a chain of a spec without a grammar takes none", () => {
  const plain = chainOf(compilePipeline("greedy()").graph);
  expect(() => open(plain, "reference", { g: DIGITS })).toThrow("has no uniform `g`");
});

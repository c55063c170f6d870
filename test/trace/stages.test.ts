/** Traces on plain logits: against separate arithmetic, for every standard sampler and for random programs. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { CompileError } from "../../compiler/diagnostics/diagnostic.js";
import { fromSpec, toSpec } from "../../compiler/graph/json.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { loadWasm } from "../../runtime/backends/wasm/loader.js";
import { chainOf, compile, compilePipeline, seededChain, tracedGraph } from "../../runtime/chain/chain.js";
import { createEvaluator, type EvaluateOptions, type Evaluation } from "../../runtime/chain/evaluate.js";
import { takesDraws } from "../../runtime/sequence/streams.js";
import { makeLogits } from "../parity/logits.js";
import { cases, makeGiven } from "../random/cases.js";
import { SEED } from "../random/settings.js";
import { vocabularyOf } from "../random/vocabulary.js";
import { expectedOf, expectStage, rowsOf } from "./expected.js";

const SIZE = 700;
const logits = makeLogits({ shape: "normal", vocabSize: SIZE, dropped: 0.1, seed: 7 });
const common = { history: [3, 5, 3, 5, 8], feed: { vocabulary: vocabularyOf(SIZE) }, seed: 4 };
const BACKENDS = ["reference", "cpu", "wasm"] as const;
beforeAll(() => loadWasm());

function step(stages: string, options: EvaluateOptions & { readonly trace?: boolean }): Evaluation {
  const { trace = false, ...rest } = options;
  using evaluator = createEvaluator(compilePipeline(stages, { trace }).rowsGraph, SIZE, { ...common, ...rest });
  return evaluator.evaluate(logits);
}

/** Chains whose stages can be cut off one by one. */
const CHAINS = [
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "top_p(0.9) |> temp(1.5) |> dist(1)",
  "penalties(64, 1.3, 0.2, 0.1) |> typical(0.9) |> xtc(0.5, 0.1, 3) |> greedy()",
  "temp(0.7) |> top_n_sigma(1) |> mirostat_v2(5, 0.1, 9)",
  ...STD_SAMPLERS.filter(({ takesGrammar, guides }) => !takesGrammar && guides.length === 0).map(
    ({ example, picks }) => `temp(1.2) |> ${example}${picks ? "" : " |> dist(6)"}`,
  ),
];

describe.each(BACKENDS)("on %s", (backend) => {
  test.each(CHAINS)("%s", (stages) => {
    const { token, trace = [], measures } = step(stages, { backend, trace: true });
    const alone = step(stages, { backend });
    expect([token, measures, alone.trace]).toEqual([alone.token, alone.measures, undefined]);
    expect(trace.map(({ stage }) => stage)).toEqual(["model", ...stages.split(" |> ")]);
    expectStage(trace[0]!, expectedOf(rowsOf(logits), token!));
    trace.slice(1).forEach((found, i) => {
      const until = stages
        .split(" |> ")
        .slice(0, i + 1)
        .join(" |> ");
      expectStage(found, expectedOf(step(until, { backend: "reference" }).candidates, token!));
    });
  });
});

test("random programs pick as without a trace, and report the rows that they leave", () => {
  let traced = 0;
  for (const one of fc.sample(cases, { seed: SEED, numRuns: 150 })) {
    const { program } = one;
    if (program.picks === undefined) continue;
    const { logits: rows, sets, uniforms, ...given } = makeGiven(one);
    const how = { set: program.set, chain: "main" };
    let chains;
    try {
      chains = [compile(program.text, how), compile(program.text, { ...how, trace: true })] as const;
    } catch (error) {
      // what the generator does not know, such as a remainder by 0
      if (error instanceof CompileError) continue;
      throw error;
    }
    const values = { ...uniforms, ...Object.fromEntries(Object.entries(sets).map(([name, list]) => [name, list[0]!])) };
    const own = new Set(chains[0].graph.params.map(({ name }) => name).concat(Object.keys(sets)));
    const used = Object.fromEntries(Object.entries(values).filter(([name]) => own.has(name)));
    const [alone, found] = chains.map((chain) => {
      using evaluator = createEvaluator(chain.rowsGraph, rows[0]!.length, {
        backend: "reference",
        seed: 1,
        uniforms: used,
        history: given.history.filter((token) => token < rows[0]!.length),
        feed: given.feed,
        ...(takesDraws(chain.rowsGraph) && given.draws && { draws: given.draws }),
      });
      return evaluator.evaluate(rows[0]!);
    }) as [Evaluation, Evaluation];
    const { trace, ...rest } = found;
    expect(rest).toEqual(alone);
    if (trace === undefined) {
      expect(rest.isWritten).toBe(true);
      continue;
    }
    expect(trace.map(({ stage }) => stage)[0]).toBe("model");
    const { token, candidates } = found;
    const [first, last] = [trace[0]!, trace.at(-1)!];
    const whole = rowsOf(rows[0]!);
    expect([first.rows, last.rows]).toEqual([whole.length, candidates.length]);
    // a program may give its rows logits of which 32 bits do not tell the differences
    if (!candidates.every((row) => Math.abs(row.logit) < 1e4)) continue;
    expectStage(last, expectedOf(candidates, token!));
    traced++;
  }
  expect(traced).toBeGreaterThan(50);
});

test("a chain within a chain, and measures of the program beside the trace", async () => {
  const source = `import { top_k, dist } from "std"
sampler counted() { measure rows = n }
chain few() = top_k(3) |> counted()
chain main() = few() |> counted() |> dist(1)`;
  const { trace, measures } = await compile(source, { chain: "main", trace: true }).evaluate([3, 2, 1, 0]);
  expect(measures).toEqual({ rows: 3, rows2: 3 });
  expect(trace!.map(({ stage, rows }) => [stage, rows])).toEqual([
    ["model", 4],
    ["top_k(3)", 3],
    ["counted()", 3],
    ["counted()", 3],
    ["dist(1)", 3],
  ]);
});

test.each([
  ["top_k(3)", "E0902", "picks no token"],
  ["top_k(3) |> host dist(1)", "E0901", "`dist` runs on the host"],
])("%s cannot be traced", (stages, code, message) => {
  const refused = (): unknown => compilePipeline(stages, { trace: true });
  expect(refused).toThrow(CompileError);
  expect(refused).toThrow(`error[${code}]`);
  expect(refused).toThrow(message);
});

test("a chain makes its graph with a trace when it is asked for; a compiled graph has the one that it was compiled with", () => {
  const chain = compilePipeline("top_k(3) |> dist()");
  const graph = tracedGraph(chain);
  expect(graph.measures).toHaveLength(12);
  expect(tracedGraph(chain)).toBe(graph);
  expect(chain.graph.measures).toEqual([]);
  expect(tracedGraph(seededChain(chain, 5)).draws).toEqual(seededChain(chain, 5).graph.draws);
  const traced = chainOf(fromSpec(toSpec(graph)));
  expect(tracedGraph(traced)).toBe(traced.graph);
  const refused = (): unknown => tracedGraph(chainOf(chain.graph));
  expect(refused).toThrow("is a compiled graph without a trace");
  expect(refused).toThrow(expect.objectContaining({ code: "NOT_TRACED" }));
});

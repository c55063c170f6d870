/** Damaged specs: those of the standard samplers, read, and run where they are valid. */
import * as fc from "fast-check";
import { ALL_OUTPUTS, compileStages, graphOf } from "../../../compiler/driver.js";
import type { Graph } from "../../../compiler/graph/graph.js";
import { readSpec, toSpec } from "../../../compiler/graph/json.js";
import { LIMITS } from "../../../compiler/limits/format.js";
import { printGraph } from "../../../compiler/graph/text.js";
import { STD_SAMPLERS } from "../../../compiler/std/samplers.js";
import { createEvaluator, type EvaluateBackend } from "../../../runtime/evaluate.js";
import { loadWasm } from "../../../runtime/wasm/loader.js";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorter } from "../core/shrink.js";
import { editedJson, jsonEdits, type JsonEdit } from "./json.js";

const CHAINS = [
  ...STD_SAMPLERS.map(({ example }) => example),
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "penalties(64, 1.1) |> dry(0.8) |> top_k(7) |> greedy()",
];

const specOf = (chain: string, withRows: boolean): object =>
  toSpec(graphOf(compileStages(chain, withRows ? { outputs: ALL_OUTPUTS } : {})));

interface Damaged {
  readonly chain: string;
  readonly withRows: boolean;
  readonly edits: readonly JsonEdit[];
  readonly vocabSize: number;
  readonly backend: EvaluateBackend;
}

const textOf = ({ chain, withRows, edits }: Damaged): string =>
  JSON.stringify(editedJson(specOf(chain, withRows), edits), undefined, 1);

export const specs = defineGenerator<Damaged>({
  name: "specs",
  doc: "specs of standard samplers with random edits: read, printed, run on a backend",
  cases: fc.record({
    chain: fc.constantFrom(...CHAINS),
    withRows: fc.boolean(),
    edits: jsonEdits,
    vocabSize: fc.constantFrom(1, 2, 5, 16, 100),
    backend: fc.constantFrom<EvaluateBackend>("reference", "cpu", "wasm"),
  }),
  async run(c) {
    const graph = readSpec(textOf(c));
    printGraph(graph);
    if (c.backend === "wasm") await loadWasm();
    runGraph(graph, c);
  },
  *smaller(c) {
    for (const edits of shorter(c.edits)) yield { ...c, edits };
    if (c.vocabSize > 1) yield { ...c, vocabSize: 1 };
    if (c.backend !== "reference") yield { ...c, backend: "reference" };
  },
  show: (c) => ({ ending: "graph.json", text: textOf(c) }),
});

/** A spec may ask for more work than a test has time for; the limits of specs are on memory. */
const MOST_WORK = 2_000_000;

function runGraph(graph: Graph, { vocabSize, backend }: Damaged): void {
  const work = graph.nodes.reduce((sum, { dim }) => sum + (dim === "V" ? vocabSize : dim), 0);
  if (work > MOST_WORK || graph.tail.length > 0) return;
  if (graph.nodes.length > LIMITS.nodes) throw new Wrong(`a spec of ${graph.nodes.length} nodes is valid`);
  const logits = Float32Array.from({ length: vocabSize }, (_, i) => Math.sin(i) * 5);
  using evaluator = createEvaluator(graph, vocabSize, { backend });
  for (let step = 0; step < 3; step++) {
    const { token } = evaluator.evaluate(logits);
    if (token !== null && !(token >= 0 && token < vocabSize)) throw new Wrong(`the token ${token} is picked`);
    evaluator.accept(token ?? 0);
  }
}

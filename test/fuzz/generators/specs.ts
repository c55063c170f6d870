/** Damaged specs: those of the standard samplers and of programs with all members, read, and run where they are valid. */
import * as fc from "fast-check";
import { ALL_OUTPUTS, compileProgram, compileStages, graphOf } from "../../../compiler/driver.js";
import type { Graph } from "../../../compiler/graph/graph.js";
import { readSpec, toSpec } from "../../../compiler/graph/json.js";
import { LIMITS } from "../../../compiler/limits/format.js";
import { printGraph } from "../../../compiler/graph/text.js";
import { STD_SAMPLERS } from "../../../compiler/std/samplers.js";
import { createEvaluator, type EvaluateBackend } from "../../../runtime/chain/evaluate.js";
import { loadWasm } from "../../../runtime/backends/wasm/loader.js";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorter } from "../core/shrink.js";
import { editedJson, jsonEdits, type JsonEdit } from "./json.js";

const CHAINS = [
  ...STD_SAMPLERS.map(({ example }) => example),
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "penalties(64, 1.1) |> dry(0.8) |> top_k(7) |> greedy()",
];

/** Programs whose specs have what no standard sampler has. */
const PROGRAMS = [
  `input negative: logits
sampler s(q: tokens, static fixed: tokens) {
  logit = negative + 1.5 * (logit - negative)
  keep token not in q
  logit += token in fixed ? 1 : 0
  if 3 in q { logit *= 2 }
  pick sample(1)
  measure surprise = -log2(picked(raw_prob))
  after pick { measure rank_of = picked(token in q) ? 1 : 0 }
}
chain c(q: tokens(4) = tokens(1, "b"), static fixed: tokens = tokens(0, "a", /^[b-d]/)) = s(q, fixed)`,
  `fn near(x: f32, best: f32) -> f32 = x / best
sampler s(k: i32 in [0, 8]) {
  state mu: f32 = prompt_length
  keep completes([[0, 1], "ab", 2]) == 0
  keep near(prob, max(prob)) > 0.01 or ends_with("a") or since([1]) == k
  logit -= sum i in 1..3: occurrences(i, in: generated) + repeat_len(k, [0], in: prompt)
  logit += hash(k, token, last(2)) % 2 + noise(7, last(1)) * mu
  measure left = n
  pick argmax(logit)
  after pick { mu = repeat 3 with x = mu: (x + 1) / 2 }
}
chain c(k: i32 = 2) = s(k)`,
];

const specOf = (source: string, withRows: boolean): object => {
  const options = withRows ? { outputs: ALL_OUTPUTS } : {};
  return toSpec(graphOf(PROGRAMS.includes(source) ? compileProgram(source, options) : compileStages(source, options)));
};

interface Damaged {
  /** Stages, or one of the programs. */
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
  doc: "specs of standard samplers and of programs with random edits: read, printed, run on a backend",
  cases: fc.record({
    chain: fc.oneof(fc.constantFrom(...CHAINS), fc.constantFrom(...PROGRAMS)),
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

const TEXTS = ["a", "b", "c", "d"];

function runGraph(graph: Graph, { vocabSize, backend }: Damaged): void {
  const work = graph.nodes.reduce((sum, { dim }) => sum + (dim === "V" ? vocabSize : dim), 0);
  if (work > MOST_WORK || graph.tail.length > 0) return;
  if (graph.nodes.length > LIMITS.nodes) throw new Wrong(`a spec of ${graph.nodes.length} nodes is valid`);
  const logits = Float32Array.from({ length: vocabSize }, (_, i) => Math.sin(i) * 5);
  // the texts of the programs, as far as the vocabulary goes
  const vocabulary = Array.from({ length: vocabSize }, (_, token) => TEXTS[token] ?? `t${token}`);
  const feed = { vocabulary, inputs: { negative: logits } };
  using evaluator = createEvaluator(graph, vocabSize, { backend, history: [0], feed });
  for (let step = 0; step < 3; step++) {
    const { token } = evaluator.evaluate(logits);
    if (token !== null && !(token >= 0 && token < vocabSize)) throw new Wrong(`the token ${token} is picked`);
    evaluator.accept(token ?? 0);
  }
}

/**
 * `npm run bench:wasm`: time per token of chains in WebAssembly relative to the native CPU backend, both on one thread, on plain
 * logits, including their upload and check. Rounds alternate, so that noise affects both equally; the result is the ratio of
 * medians. It starts after a warm-up of a thousand tokens, when V8 has optimized the module's hot functions. Writes
 * bench/results/wasm.json.
 */
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import { compilePipeline } from "ggsl";
import type { EvaluatorValues, NativeEvaluator } from "ggsl/backends/native/binding.js";
import { loadBinding } from "ggsl/backends/native/loader.js";
import { startSequence, uniformsOf } from "ggsl/sequence/sequence.js";
import { loadedWasm } from "ggsl/backends/wasm/loader.js";
import { normalLogits } from "./logits.js";
import { spreadOf, writeWhole, type Spread } from "./results.js";

const VOCABULARY = 128256;
const ROUNDS = 41;
const TOKENS = 5;
/** Uncounted rounds. */
const WARM_UP = 300;
/** The target ratio of the WebAssembly backend. */
const TARGET = 2.5;

const CHAINS = {
  default: "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "without top_k": "min_p(0.05) |> temp(0.8) |> dist(42)",
  "full sort": "top_p(0.95) |> temp(0.8) |> dist(42)",
  statistics: "top_n_sigma(1) |> dist(42)",
  greedy: "greedy()",
};

interface Result {
  readonly stages: string;
  /** Microseconds per token. */
  readonly cpu: Spread;
  readonly wasm: Spread;
  readonly ratio: number;
  readonly token: number;
}

/** Microseconds per token. */
function timeOf(evaluator: NativeEvaluator, values: EvaluatorValues): number {
  const start = performance.now();
  for (let i = 0; i < TOKENS; i++) evaluator.evaluate(values);
  return ((performance.now() - start) * 1000) / TOKENS;
}

function measure(stages: string, logits: Float32Array): Result {
  const { graph } = compilePipeline(stages);
  const values = { logits, uniforms: uniformsOf(startSequence(graph, VOCABULARY)) };
  const [cpu, wasm] = [loadBinding(), loadedWasm()].map(({ Graph, Evaluator }) => {
    const evaluator = new Evaluator(new Graph(encodeWire(graph)), { vocabSize: VOCABULARY });
    return { evaluator, token: evaluator.evaluate(values).sampled![0]!, times: [] as number[] };
  }) as [Side, Side];
  if (cpu.token !== wasm.token) throw new Error(`${stages}: the CPU picks ${cpu.token}, WebAssembly ${wasm.token}`);
  for (let round = -WARM_UP; round < ROUNDS; round++)
    for (const { evaluator, times } of [cpu, wasm]) {
      const time = timeOf(evaluator, values);
      if (round >= 0) times.push(time);
    }
  for (const { evaluator } of [cpu, wasm]) evaluator.dispose();
  const [a, b] = [spreadOf(cpu.times), spreadOf(wasm.times)];
  return { stages, cpu: a, wasm: b, ratio: b.median / a.median, token: cpu.token };
}

interface Side {
  readonly evaluator: NativeEvaluator;
  readonly token: number;
  readonly times: number[];
}

const text = ({ q1, median, q3 }: Spread): string =>
  `${median.toFixed(0)} us (${q1.toFixed(0)}-${q3.toFixed(0)})`.padStart(22);

const logits = normalLogits(VOCABULARY);
const results: Record<string, Result> = {};
console.log(`V = ${VOCABULARY}, one thread, medians of ${ROUNDS} rounds of ${TOKENS} tokens`);
for (const [name, stages] of Object.entries(CHAINS)) {
  const result = (results[name] = measure(stages, logits));
  const ratio = result.ratio.toFixed(2);
  console.log(`${name.padEnd(14)} cpu ${text(result.cpu)}   wasm ${text(result.wasm)}   ratio ${ratio}`);
}
const rounded = (_: string, value: unknown): unknown => (typeof value === "number" ? Number(value.toFixed(3)) : value);
writeWhole(
  "bench/results/wasm.json",
  `${JSON.stringify({ vocabulary: VOCABULARY, target: TARGET, results }, rounded, 2)}\n`,
);

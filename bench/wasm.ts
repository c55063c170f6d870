/**
 * Time per token of chains in WebAssembly against the native CPU backend, both on one thread, on plain logits, which go in
 * and are checked each time: `npm run bench:wasm`. Rounds alternate, so that both meet the same machine; the ratio of
 * medians is what counts. It begins when V8 has compiled the module's busy functions for good, as it has after a thousand
 * tokens. Writes bench/results/wasm.json. The package must be built (`npm run build`).
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { encodeWire } from "../dist/compiler/graph/wire.js";
import { compilePipeline } from "../dist/runtime/index.js";
import { loadBinding } from "../dist/runtime/native/loader.js";
import { startSequence, uniformsOf } from "../dist/runtime/sequence.js";
import { loadedWasm } from "../dist/runtime/wasm/loader.js";

const VOCABULARY = 128256;
const ROUNDS = 41;
const TOKENS = 5;
/** Rounds that are not counted. */
const WARM_UP = 300;
/** What the WebAssembly backend is meant to reach. */
const TARGET = 2.5;

const CHAINS = {
  default: "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "without top_k": "min_p(0.05) |> temp(0.8) |> dist(42)",
  "full sort": "top_p(0.95) |> temp(0.8) |> dist(42)",
  statistics: "top_n_sigma(1) |> dist(42)",
  greedy: "greedy()",
};

/** Normally distributed, as a model's logits about are; always the same. */
function makeLogits() {
  let state = 1;
  const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647;
  return Float32Array.from({ length: VOCABULARY }, () => {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    return 3 * radius * Math.cos(2 * Math.PI * uniform());
  });
}

/** Quartiles and median. */
function spreadOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const [q1, median, q3] = [1, 2, 3].map((quarter) => Number(sorted[(quarter * (sorted.length - 1)) >> 2].toFixed(1)));
  return { q1, median, q3 };
}

/** Microseconds a token. */
function timeOf(evaluator, values) {
  const start = performance.now();
  for (let i = 0; i < TOKENS; i++) evaluator.evaluate(values);
  return ((performance.now() - start) * 1000) / TOKENS;
}

function measure(stages, logits) {
  const { graph } = compilePipeline(stages);
  const values = { logits, uniforms: uniformsOf(startSequence(graph, VOCABULARY)) };
  const evaluators = [loadBinding(), loadedWasm()].map(
    ({ Graph, Evaluator }) => new Evaluator(new Graph(encodeWire(graph)), { vocabSize: VOCABULARY }),
  );
  const tokens = evaluators.map((e) => e.evaluate(values).sampled[0]);
  const times = evaluators.map(() => []);
  for (let round = -WARM_UP; round < ROUNDS; round++)
    evaluators.forEach((e, i) => {
      const time = timeOf(e, values);
      if (round >= 0) times[i].push(time);
    });
  for (const e of evaluators) e.dispose();
  if (tokens[0] !== tokens[1]) throw new Error(`${stages}: the CPU picks ${tokens[0]}, WebAssembly ${tokens[1]}`);
  const [cpu, wasm] = times.map(spreadOf);
  return { stages, cpu, wasm, ratio: Number((wasm.median / cpu.median).toFixed(3)), token: tokens[0] };
}

const logits = makeLogits();
const results = {};
console.log(`V = ${VOCABULARY}, one thread, medians of ${ROUNDS} rounds of ${TOKENS} tokens`);
for (const [name, stages] of Object.entries(CHAINS)) {
  const result = (results[name] = measure(stages, logits));
  const [cpu, wasm] = [result.cpu, result.wasm].map(({ q1, median, q3 }) =>
    `${median.toFixed(0)} us (${q1.toFixed(0)}-${q3.toFixed(0)})`.padStart(22),
  );
  console.log(`${name.padEnd(14)} cpu ${cpu}   wasm ${wasm}   ratio ${result.ratio.toFixed(2)}`);
}
const folder = new URL("results/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(
  new URL("wasm.json", folder),
  `${JSON.stringify({ vocabulary: VOCABULARY, target: TARGET, results }, null, 2)}\n`,
);

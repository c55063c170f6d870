/** Chains in onnxruntime-node through `ggsl/onnx`, in a process of its own, as a program would use it. Prints what it found as JSON. */
import * as ort from "onnxruntime-node";
import { compile, compilePipeline } from "ggsl/chain/chain.js";
import { createEvaluator } from "ggsl/chain/evaluate.js";
import { createOnnxEvaluator } from "ggsl/onnx";
import { messageOf } from "./messageOf.mjs";

const V = 300;
const TOKENS = 20;
const logitsAt = (step) => Float32Array.from({ length: V }, (_, i) => 3 * Math.sin(i * 1.7 + step));

/** The tokens and states of an evaluator; `call` awaits its results or not. */
async function run(evaluator) {
  const tokens = [];
  for (let step = 0; step < TOKENS; step++) {
    const { token } = await evaluator.evaluate(logitsAt(step));
    tokens.push(token);
    evaluator.accept();
  }
  return { tokens, states: Object.keys(evaluator.states) };
}

const CHAINS = [
  compilePipeline("top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)"),
  compilePipeline("penalties(64, 1.3) |> mirostat_v2(seed: 3)"),
  compile(`input boost: f32
sampler boosted() { logit += boost measure total = sum(prob * boost) }
import { dist } from "std"
chain main = boosted() |> dist(5)`),
];
const options = { history: [1, 2, 3], feed: { inputs: { boost: Float32Array.from({ length: V }, (_, i) => i / V) } } };

const runs = [];
for (const { graph } of CHAINS) {
  const wanted = createEvaluator(graph, V, { backend: "reference", ...options });
  const found = await createOnnxEvaluator(graph, V, { ort, ...options });
  const f32 = await createOnnxEvaluator(graph, V, { ort, sums: "f32", opset: 21, ...options });
  runs.push({ expected: await run(wanted), found: await run(found), f32: await run(f32) });
}

const { graph } = compilePipeline("top_k(3) |> dist(1)");
const evaluator = await createOnnxEvaluator(graph, V, { ort });
const open = (more) => messageOf(() => createOnnxEvaluator(graph, V, { ort, ...more }));
const faults = [
  await open({ ort: {} }),
  await open({ ort: undefined }),
  await open({ opset: 14 }),
  await open({ sums: "f16" }),
  await open({ session: { executionProviders: ["none"] } }),
  await messageOf(() => createOnnxEvaluator(compilePipeline("top_k(3) |> host dist(1)").graph, V, { ort })),
  await messageOf(() => evaluator.evaluate(logitsAt(0).with(7, NaN))),
  await messageOf(() => evaluator.evaluate(logitsAt(0).slice(1))),
  await messageOf(() => Promise.all([evaluator.evaluate(logitsAt(0)), evaluator.evaluate(logitsAt(1))])),
];
await evaluator.dispose();
await evaluator.dispose();
faults.push(await messageOf(() => evaluator.evaluate(logitsAt(0))));
process.stdout.write(JSON.stringify({ runs, faults }));

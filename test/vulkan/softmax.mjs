/** The largest error of softmax over 128256 rows, five of them not dropped, on Vulkan with and without its rewrite. */
import { plainGraph } from "@ggsl/compiler/graph/plain.js";
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import { chooseDevice } from "ggsl/backends/devices/choose.js";
import { loadBinding } from "ggsl/backends/native/loader.js";

const vocabSize = 128256;
const vector = { dtype: "f32", dim: "V" };
const words = encodeWire(
  plainGraph(
    "softmax",
    [
      { op: "input", inputs: [], attrs: { index: 0, ...vector }, ...vector },
      { op: "soft_max", inputs: [0], attrs: {}, ...vector },
    ],
    { probs: 1 },
  ),
);
const { device } = await chooseDevice({ backend: "vulkan" });
const binding = loadBinding();
const open = (options) => new binding.Evaluator(new binding.Graph(words), { vocabSize, ...options });
const [plain, rewritten, cpu] = [open({ device, rewriteFor: "cpu" }), open({ device }), open({})];

const found = [0, 1, 2, 3].map((round) => {
  const logits = new Float32Array(vocabSize).fill(-1e9);
  for (let i = 0; i < 5; i++) logits[(i * 30_011 + round * 7_919 + 1_500) % vocabSize] = i;
  const run = (evaluator) => evaluator.evaluate({ logits, uniforms: new Float32Array() }).probs;
  const expected = run(cpu);
  const errorOf = (probs) => probs.reduce((worst, p, i) => Math.max(worst, Math.abs(p - expected[i])), 0);
  return {
    plain: errorOf(run(plain)),
    rewritten: errorOf(run(rewritten)),
    names: rewritten.rewritten.map((r) => r.name),
  };
});
console.log(JSON.stringify(found));

/**
 * Chains of standard samplers over a wide vocabulary on the CPU and on Vulkan: prints the largest difference of a probability,
 * and the tokens. A process of its own for each call: `node wide.mjs SIZE CHAIN...`.
 */
import { compilePipeline } from "../../dist/runtime/chain.js";
import { createEvaluator } from "../../dist/runtime/evaluate.js";

const [size, ...chains] = process.argv.slice(2);
const vocabSize = Number(size);

/** Different numbers, some far apart, one in fifty no candidate. */
const logits = Float32Array.from({ length: vocabSize }, (_, i) =>
  i % 50 === 7 ? -Infinity : 6 * Math.sin(i * 12.9898) + ((i * 7919) % 104729) / 104729 - 12,
);
const history = Array.from({ length: 40 }, (_, i) => (i * 31) % 17);

const found = chains.map((chain) => {
  const graph = compilePipeline(chain).rowsGraph;
  const [cpu, vulkan] = ["cpu", "vulkan"].map((backend) => {
    const evaluator = createEvaluator(graph, vocabSize, { backend, strict: true, history, draws: [0.37] });
    const evaluation = evaluator.evaluate(logits);
    evaluator.dispose();
    return evaluation;
  });
  const probs = new Map(cpu.candidates.map(({ token, prob }) => [token, prob]));
  const differences = vulkan.candidates.map(({ token, prob }) => Math.abs(prob - (probs.get(token) ?? 0)));
  const rows = [cpu.candidates.length, vulkan.candidates.length];
  return { chain, rows, difference: differences.reduce((a, b) => (b > a || Number.isNaN(b) ? b : a), 0), tokens: [cpu.token, vulkan.token] };
});
console.log(JSON.stringify(found));

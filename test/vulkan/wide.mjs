/**
 * Differences between the CPU and Vulkan, of chains of standard samplers over a wide vocabulary:
 * `node wide.mjs SIZE CHAIN...`.
 */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import { compilePipeline } from "ggsl/chain/chain.js";
import { createEvaluator } from "ggsl/chain/evaluate.js";
import { takesDraws } from "ggsl/sequence/streams.js";

const [size, ...chains] = process.argv.slice(2);
const vocabSize = Number(size);

/** Distinct numbers, some far apart; one row in fifty is dropped. */
const logits = Float32Array.from({ length: vocabSize }, (_, i) =>
  i % 50 === 7 ? -Infinity : 6 * Math.sin(i * 12.9898) + ((i * 7919) % 104729) / 104729 - 12,
);
/** Logits of another sequence. */
const guide = Float32Array.from({ length: vocabSize }, (_, i) => 3 * Math.sin(i * 4.1414) - 9);
const history = Array.from({ length: 40 }, (_, i) => (i * 31) % 17);

function evaluate(graph, backend) {
  const inputs = Object.fromEntries(guidesOf(graph).map(({ name }) => [name, guide]));
  const evaluator = createEvaluator(graph, vocabSize, {
    backend,
    strict: true,
    history,
    feed: { inputs },
    ...(takesDraws(graph) && { draws: [0.37] }),
  });
  try {
    return evaluator.evaluate(logits);
  } finally {
    evaluator.dispose();
  }
}

const found = chains.map((chain) => {
  const graph = compilePipeline(chain).rowsGraph;
  const [cpu, vulkan] = [evaluate(graph, "cpu"), evaluate(graph, "vulkan")];
  const probs = new Map(cpu.candidates.map(({ token, prob }) => [token, prob]));
  const differences = vulkan.candidates.map(({ token, prob }) => Math.abs(prob - (probs.get(token) ?? 0)));
  // NaN counts as a large difference
  const difference = differences.reduce((a, b) => (b <= a ? a : b), 0);
  return {
    chain,
    rows: [cpu.candidates.length, vulkan.candidates.length],
    difference,
    between: massBetween(cpu.candidates, cpu.token, vulkan.token),
  };
});
console.log(JSON.stringify(found));

function massBetween(candidates, one, other) {
  if (one === other) return 0;
  const [a, b] = [one, other].map((token) => candidates.findIndex((c) => c.token === token)).sort((x, y) => x - y);
  if (a < 0) return 1;
  return candidates.slice(a, b).reduce((sum, { prob }) => sum + prob, 0);
}

/** The best token that a grammar accepts, for each vocabulary size, on Vulkan: `node grammars.mjs SIZES`. */
import { compile } from "ggsl/chain/chain.js";
import { createEvaluator } from "ggsl/chain/evaluate.js";

const { graph } = compile(`import { constrain, greedy } from "std"
chain c(g: grammar) = constrain(g) |> greedy()`);

const found = JSON.parse(process.argv[2]).map((size) => {
  const vocabulary = Array.from({ length: size }, (_, i) => `#${i};`);
  const picks = [];
  const evaluator = createEvaluator(graph, size, {
    backend: "vulkan",
    uniforms: { g: { choices: [`#${size - 1};`, "#0;"] } },
    feed: { vocabulary },
    strict: true,
  });
  for (const sign of [1, -1]) picks.push(evaluator.evaluate(Float32Array.from(vocabulary, (_, i) => sign * i)).token);
  evaluator.dispose();
  return picks;
});
console.log(JSON.stringify(found));

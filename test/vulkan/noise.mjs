/** Noise and hashes on Vulkan, to the bit: `node noise.mjs SIZE SEED...`; prints the rows that differ from the reference. */
import { compile } from "ggsl/chain/chain.js";
import { createEvaluator } from "ggsl/chain/evaluate.js";

const [size, ...seeds] = process.argv.slice(2).map(Number);
const logits = Float32Array.from({ length: size }, (_, i) => Math.fround((i - size / 2) * 12345.678));

const bodies = seeds.flatMap((seed) => [`logit = noise(${seed})`, `logit = hash(logit, ${seed % 2 ** 24}, token)`]);

const found = bodies.map((body) => {
  const { rowsGraph } = compile(`sampler s() { ${body} }\nchain c = s()`);
  const [wanted, other] = ["reference", "vulkan"].map((backend) => {
    const evaluator = createEvaluator(rowsGraph, size, { backend, strict: true });
    evaluator.evaluate(logits);
    evaluator.accept(1);
    const { candidates } = evaluator.evaluate(logits);
    evaluator.dispose();
    return candidates.map(({ logit }) => logit);
  });
  return { body, rows: other.length, differ: wanted.filter((x, i) => x !== other[i]).length, first: other[0] };
});
console.log(JSON.stringify(found));

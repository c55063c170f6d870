/** Sets, texts, measures and raw columns on a backend: `node parts.mjs BACKEND GGUF JSON`, as in test/model/parts.ts. */
import { compile } from "ggsl/chain/chain.js";
import { createEvaluator } from "ggsl/chain/evaluate.js";
import { loadModel } from "ggsl/models/model.js";

const [backend, path, given] = process.argv.slice(2);
const { COLUMNS, SOURCE, LISTS, LOGITS, GENERATED, COUNT, PROMPT, settings } = JSON.parse(given);

const feed = { inputs: { source: SOURCE } };
const evaluator = createEvaluator(compile(COLUMNS).rowsGraph, LOGITS.length, { backend, strict: true, feed });
const steps = LISTS.map((listed) => {
  evaluator.setUniforms({ listed });
  return evaluator.evaluate(LOGITS);
});
evaluator.dispose();

const model = await loadModel(path, { backend });
const chain = compile(GENERATED);
const options = { ...settings, chain, strict: true, maxTokens: COUNT, contextSize: 128 };
const generation = model.generate(PROMPT, options);
const [tokens, measures, uploads] = [[], [], []];
for await (const piece of generation) {
  tokens.push(piece.token);
  measures.push(piece.measures);
  uploads.push(generation.stats().uploadBytes);
}
const { columnBytes, devices, reads } = generation.stats();
const second = model.generate(PROMPT, options);
const changed = [];
for await (const { token } of second) {
  changed.push(token);
  second.setUniforms({ banned: [token] });
}
console.log(JSON.stringify({ steps, report: { tokens, measures, uploads, columnBytes, changed }, devices, reads }));

/** A text with the layers on several devices: `node devices.mjs GGUF SETTINGS CHAIN PLACES`; a place is an option of `loadModel`. */
import { compilePipeline } from "ggsl/chain/chain.js";
import { loadModel } from "ggsl/models/model.js";

const [path, settings, stages, places] = process.argv.slice(2);
const chain = compilePipeline(stages);
const found = [];
for (const place of JSON.parse(places)) {
  const model = await loadModel(path, { backend: "vulkan", ...JSON.parse(settings), ...place });
  const generation = model.generate("", { chain, maxTokens: 12, ignoreEnd: true });
  const tokens = [];
  for await (const { token } of generation) tokens.push(token);
  found.push({ device: model.device, tokens, devices: generation.stats().devices });
  model.dispose();
}
console.log(JSON.stringify(found));

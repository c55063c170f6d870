/**
 * Texts of several generations at once, each with a guide, by a model on Vulkan: `node guides.mjs GGUF SETTINGS CASES`. A case has
 * stages, the guide's name, and pairs of the tokens of a prompt and a guide. Prompts have one token: the same shaders then serve
 * prompts and texts, and lavapipe takes long to compile them, so all cases run in one process.
 */
import { compilePipeline } from "ggsl/chain/chain.js";
import { loadModel } from "ggsl/models/model.js";

const [path, settings, cases] = process.argv.slice(2);
const model = await loadModel(path, { backend: "vulkan", ...JSON.parse(settings) });

async function write({ stages, name, pairs }) {
  const batch = model.batch({ sequences: 2 * pairs.length, contextSize: 256, strict: true });
  const found = await Promise.all(
    pairs.map(async ([prompt, guide]) => {
      const guides = { [name]: { prompt: Int32Array.from(guide) } };
      const options = { chain: compilePipeline(stages), maxTokens: 8, guides };
      const generation = batch.add(Int32Array.from(prompt), options);
      const tokens = [];
      for await (const { token } of generation) tokens.push(token);
      const { finish, devices, readbackBytes } = generation.stats();
      return { tokens: finish === "end" ? [...tokens, model.info.eos] : tokens, devices, readbackBytes };
    }),
  );
  batch.dispose();
  return found;
}

const found = [];
for (const one of JSON.parse(cases)) found.push(await write(one));
console.log(JSON.stringify({ backend: model.backend, found }));

/**
 * A model on Vulkan and on the CPU, as tokens: with the chain in the graph, and with the chain on the CPU over Vulkan's logits.
 * Prompts of one token, because larger ones need shaders that take lavapipe a minute to compile:
 * `node model.mjs GGUF SETTINGS PROMPT CHAIN...`; settings are those of contexts, in JSON.
 */
import { compilePipeline } from "ggsl/chain.js";
import { loadModel } from "ggsl/model.js";

const [path, settings, prompt, ...chains] = process.argv.slice(2);
const COUNT = 16;

async function generate(model, stages, placement) {
  const options = { placement, maxTokens: COUNT, strict: true, contextSize: 256, ...JSON.parse(settings) };
  const feed = { bias: new Map([[model.info.eos, -Infinity]]) };
  const generation = model.generate(prompt, { ...options, chain: compilePipeline(`logit_bias() |> ${stages}`), feed });
  const tokens = [];
  for await (const { token } of generation) tokens.push(token);
  return { tokens, devices: generation.stats().devices };
}

const vulkan = await loadModel(path, { backend: "vulkan" });
const cpu = await loadModel(path, { backend: "cpu" });
const found = [];
for (const chain of chains) {
  const graph = await generate(vulkan, chain, "graph");
  const { tokens: host } = await generate(vulkan, chain, "host");
  const { tokens: onCpu } = await generate(cpu, chain, "graph");
  found.push({ chain, graph: graph.tokens, host, cpu: onCpu, devices: graph.devices });
}
console.log(JSON.stringify({ backend: vulkan.backend, device: vulkan.device, found }));

/**
 * Tokens of a model on Vulkan with the chain in the graph, on Vulkan with the chain on the CPU, and on the CPU alone. Prompts
 * have one token, since lavapipe compiles the shaders for longer ones for a minute: `node model.mjs GGUF CHAIN...`.
 */
import { compilePipeline } from "ggsl/chain/chain.js";
import { loadModel } from "ggsl/models/model.js";

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

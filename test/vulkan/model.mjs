/**
 * The demo model on Vulkan and on the CPU, as tokens: with the chain in the graph, and with the chain on the CPU over the logits
 * that come back. Prompts of one token, because larger ones need shaders that take lavapipe a minute to compile.
 */
import { compilePipeline } from "../../dist/runtime/chain.js";
import { loadModel } from "../../dist/runtime/model.js";

const chains = process.argv.slice(2);
const COUNT = 16;

async function tokensOf(model, stages, placement) {
  const chain = compilePipeline(stages);
  const generation = model.generate(model.tokenize("In").slice(0, 1), { chain, placement, maxTokens: COUNT, strict: true });
  const tokens = [];
  for await (const { token } of generation) tokens.push(token);
  return { tokens, devices: generation.stats().devices };
}

const [vulkan, cpu] = [await loadModel("examples/model/demo-q8_0.gguf", { backend: "vulkan" }), await loadModel("examples/model/demo-q8_0.gguf", { backend: "cpu" })];
const found = [];
for (const chain of chains) {
  const inGraph = await tokensOf(vulkan, chain, "graph");
  const onHost = await tokensOf(vulkan, chain, "host");
  const onCpu = await tokensOf(cpu, chain, "graph");
  found.push({ chain, graph: inGraph.tokens, host: onHost.tokens, cpu: onCpu.tokens, devices: inGraph.devices });
}
console.log(JSON.stringify({ device: vulkan.device, found }));

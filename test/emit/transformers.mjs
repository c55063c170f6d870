/**
 * Generates with transformers.js and a chain, in a process of its own: `node transformers.mjs FOLDER`. The model is a small one that
 * this file makes there: the logits are `tanh(E[token]) W`. Prints what it found as JSON.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AutoModelForCausalLM, env, Tensor } from "@huggingface/transformers";
import { modelBytes } from "@ggsl/compiler/emit/onnx/protobuf.js";
import { compilePipeline } from "ggsl/chain.js";
import { createEvaluator } from "ggsl/evaluate.js";
import { ChainProcessor } from "ggsl/transformers";
import { messageOf } from "./messageOf.mjs";

const [folder] = process.argv.slice(2);
const V = 2000;
const WIDTH = 32;
const TOKENS = 24;

let state = 2;
const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const embedding = Float32Array.from({ length: V * WIDTH }, normal);
const weights = Float32Array.from({ length: WIDTH * V }, () => 0.7 * normal());

function writeModel() {
  const f32 = (name, dims, data) => ({ name, type: "f32", dims, data });
  const cache = (name, length) => ({ name, type: "f32", dims: ["batch_size", 1, length, WIDTH] });
  const node = (op, inputs, output, attrs = {}) => ({ op, inputs, outputs: [output], attrs });
  const graph = {
    name: "lm",
    nodes: [
      node("Gather", ["embedding", "input_ids"], "e"),
      node("Tanh", ["e"], "t"),
      node("MatMul", ["t", "weights"], "logits"),
      node("Unsqueeze", ["e", "axis"], "k"),
      node("Concat", ["past_key_values.0.key", "k"], "present.0.key", { axis: 2 }),
      node("Concat", ["past_key_values.0.value", "k"], "present.0.value", { axis: 2 }),
    ],
    constants: [
      f32("embedding", [V, WIDTH], embedding),
      f32("weights", [WIDTH, V], weights),
      { name: "axis", type: "i64", dims: [1], data: BigInt64Array.of(1n) },
    ],
    inputs: [
      { name: "input_ids", type: "i64", dims: ["batch_size", "sequence"] },
      { name: "attention_mask", type: "i64", dims: ["batch_size", "total"] },
      cache("past_key_values.0.key", "past"),
      cache("past_key_values.0.value", "past"),
    ],
    outputs: [
      { name: "logits", type: "f32", dims: ["batch_size", "sequence", V] },
      cache("present.0.key", "total"),
      cache("present.0.value", "total"),
    ],
  };
  const config = {
    ...{ model_type: "gpt2", architectures: ["GPT2LMHeadModel"], is_encoder_decoder: false },
    ...{ n_layer: 1, n_head: 1, n_embd: WIDTH, vocab_size: V },
  };
  mkdirSync(join(folder, "lm", "onnx"), { recursive: true });
  writeFileSync(join(folder, "lm", "onnx", "model.onnx"), modelBytes({ graph, opset: 17, metadata: {} }));
  writeFileSync(join(folder, "lm", "config.json"), JSON.stringify(config));
  writeFileSync(join(folder, "lm", "generation_config.json"), JSON.stringify({ eos_token_id: null, bos_token_id: 0 }));
}

/** What the model gives after a token, calculated here. */
function logitsAfter(token) {
  const logits = new Float32Array(V);
  for (let i = 0; i < WIDTH; i++) {
    const e = Math.tanh(embedding[token * WIDTH + i]);
    for (let v = 0; v < V; v++) logits[v] += e * weights[i * V + v];
  }
  return logits;
}

/** The text of a chain in the reference interpreter. */
function expected(chain, prompt, options = {}) {
  const evaluator = createEvaluator(chain.graph, V, { backend: "reference", history: prompt, ...options });
  const tokens = [...prompt];
  for (let i = 0; i < TOKENS; i++) {
    tokens.push(evaluator.evaluate(logitsAfter(tokens.at(-1))).token);
    evaluator.accept();
  }
  return tokens;
}

writeModel();
env.allowRemoteModels = false;
env.localModelPath = folder;
const model = await AutoModelForCausalLM.from_pretrained("lm", { dtype: "fp32", device: "cpu" });

const PAD = 1999;
/** Prompts, filled up at their beginnings. */
function inputsOf(prompts) {
  const size = Math.max(...prompts.map((prompt) => prompt.length));
  const tensor = (row) => new Tensor("int64", BigInt64Array.from(prompts.flatMap(row), BigInt), [prompts.length, size]);
  const fill = (count, value) => Array.from({ length: count }, () => value);
  return {
    inputs: tensor((prompt) => [...fill(size - prompt.length, PAD), ...prompt]),
    attention_mask: tensor((prompt) => [...fill(size - prompt.length, 0), ...fill(prompt.length, 1)]),
  };
}

/** The texts without what fills the prompts up. */
async function generate(processor, prompts, tokens = TOKENS) {
  const options = { max_new_tokens: tokens, do_sample: false, logits_processor: [processor] };
  const found = (await model.generate({ ...inputsOf(prompts), ...options })).tolist();
  const size = Math.max(...prompts.map((prompt) => prompt.length));
  return found.map((text, row) => text.slice(size - prompts[row].length).map(Number));
}

const CHAINS = [
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "penalties(64, 1.3) |> mirostat_v2(seed: 3)",
  "penalties(8, 1.2) |> top_n_sigma(1) |> xtc(0.5, 0.1, seed: 2) |> dist(7)",
  "greedy()",
];
const PROMPTS = [
  [1, 2, 3],
  [5, 4, 3, 2, 1],
];
const texts = [];
for (const stages of CHAINS) {
  const chain = compilePipeline(stages);
  const processor = new ChainProcessor(chain, { padToken: PAD });
  const again = new ChainProcessor(chain, { padToken: PAD });
  texts.push({
    stages,
    found: await generate(processor, PROMPTS),
    again: await generate(again, PROMPTS),
    expected: PROMPTS.map((prompt) => expected(chain, prompt)),
  });
}

/** How many tokens there are among the first ones of 30 texts with different seeds. */
async function distinct(stages) {
  const chain = compilePipeline(stages);
  const firsts = new Set();
  for (let seed = 0; seed < 30; seed++) {
    const processor = new ChainProcessor(chain, { draws: [(seed + 0.5) / 30] });
    const [text] = await generate(processor, [[1, 2, 3]], 1);
    firsts.add(text.at(-1));
  }
  return firsts.size;
}

const greedy = compilePipeline("greedy()");
const own = compilePipeline("temp(2) |> dist(1)");
const rows = new ChainProcessor(own, (row) => ({ draws: [row === 0 ? 0.1 : 0.9] }));
const [first, second] = await generate(rows, [
  [1, 2, 3],
  [1, 2, 3],
]);
const used = new ChainProcessor(greedy);
await generate(used, [[1, 2, 3]]);
const disposed = new ChainProcessor(greedy);
disposed.dispose();

process.stdout.write(
  JSON.stringify({
    texts,
    distinct: {
      all: await distinct("temp(2) |> dist(1)"),
      min_p: await distinct("min_p(0.99) |> temp(2) |> dist(1)"),
      top_p: await distinct("top_p(0.01) |> temp(2) |> dist(1)"),
    },
    differ: first.join() !== second.join(),
    faults: [
      await messageOf(() => generate(used, [[1, 2, 3]])),
      await messageOf(() => generate(disposed, [[1, 2, 3]])),
      await messageOf(() => new ChainProcessor(compilePipeline("top_k(3)"))),
      await messageOf(() => new ChainProcessor(greedy, { padToken: -1 })),
      await messageOf(() => new ChainProcessor(greedy, { backend: "gpu" })),
    ],
  }),
);

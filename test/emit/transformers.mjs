/**
 * Generates with transformers.js and a chain, in a process of its own: `node --import tsx transformers.mjs FOLDER`, with a small model
 * that is written there. Prints what it found as JSON.
 */
import { AutoModelForCausalLM, env, Tensor } from "@huggingface/transformers";
import { compile, compilePipeline } from "ggsl/chain/chain.js";
import { createEvaluator } from "ggsl/chain/evaluate.js";
import { ChainProcessor, ChainStops } from "ggsl/transformers";
import { messageOf } from "./messageOf.mjs";
import { writeSmallModel } from "./languageModel.ts";

const [folder] = process.argv.slice(2);
const V = 2000;
const TOKENS = 24;

/** The text of a chain in the reference interpreter. */
function expected(chain, prompt, options = {}) {
  const evaluator = createEvaluator(chain.graph, V, { backend: "reference", history: prompt, ...options });
  const tokens = [...prompt];
  for (let i = 0; i < TOKENS; i++) {
    tokens.push(evaluator.evaluate(logitsAfter(tokens)).token);
    evaluator.accept();
  }
  return tokens;
}

const { logitsAfter } = writeSmallModel(folder, { vocab: V });
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

/** How many tokens there are among the first ones of 60 texts by transformers.js's own sampler. */
async function ownDistinct(settings) {
  const prompts = Array.from({ length: 60 }, () => [1, 2, 3]);
  const options = { max_new_tokens: 1, do_sample: true, top_k: 0, ...settings };
  const found = (await model.generate({ ...inputsOf(prompts), ...options })).tolist();
  return new Set(found.map((text) => text.at(-1))).size;
}

/** A text that a chain ends with its fifth token, and the beginning of one that it does not end. */
async function stopped() {
  const chain = compile(`sampler best() { pick argmax(logit)  stop when step >= 4 as "five" }\nchain c = best()`);
  const processor = new ChainProcessor(chain, { padToken: PAD });
  const stops = [new ChainStops(processor)];
  const options = { max_new_tokens: TOKENS, do_sample: false, logits_processor: [processor], stopping_criteria: stops };
  const prompt = [[1, 2, 3]];
  const [found] = (await model.generate({ ...inputsOf(prompt), ...options })).tolist();
  const [whole] = await generate(new ChainProcessor(compilePipeline("greedy()"), { padToken: PAD }), prompt);
  return { found: found.map(Number), wanted: whole.slice(0, 3 + 5), name: processor.stops[0] };
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
    stopped: await stopped(),
    distinct: {
      all: await distinct("temp(2) |> dist(1)"),
      min_p: await distinct("min_p(0.99) |> temp(2) |> dist(1)"),
      top_p: await distinct("top_p(0.01) |> temp(2) |> dist(1)"),
    },
    own: { min_p: await ownDistinct({ min_p: 0.99 }), top_p: await ownDistinct({ top_p: 0.01 }) },
    differ: first.join() !== second.join(),
    faults: [
      await messageOf(() => generate(used, [[1, 2, 3]])),
      await messageOf(() => generate(disposed, [[1, 2, 3]])),
      await messageOf(() => new ChainProcessor(compilePipeline("top_k(3)"))),
      await messageOf(() => new ChainProcessor(compilePipeline('ban_phrases(phrases("a")) |> greedy()'))),
      await messageOf(() => new ChainProcessor(greedy, { padToken: -1 })),
      await messageOf(() => new ChainProcessor(greedy, { backend: "gpu" })),
    ],
  }),
);

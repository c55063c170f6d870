/**
 * Many kinds of requests to the addon, good and bad, after which every object is disposed of: `node requests.mjs ROUNDS GGUF`. For
 * sanitizers, which find what a request leaves behind.
 */
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import { compile, compilePipeline } from "ggsl/chain/chain.js";
import { createEvaluator } from "ggsl/chain/evaluate.js";
import { loadModel } from "ggsl/models/model.js";
import { loadBinding } from "ggsl/backends/native/loader.js";

const [rounds, path] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "ggsl-requests-"));
const warm = compile(`import { top_k, temp, dist } from "std"
chain warm(t: f32 > 0 = 1) = top_k(40) |> temp(t) |> dist(1)`);
const CHAINS = [
  compilePipeline("top_p(0.9) |> mirostat_v2(5, 0.1, seed: 2)"),
  compilePipeline("penalties(64, 1.1) |> min_p(0.05) |> dist(3)"),
  compilePipeline('top_k(64) |> host grammar("root ::= [a-zA-Z ]*") |> host dist(3)'),
];

/** Random numbers that are the same in every run. */
let state = 1;
const random = (below) => {
  state = (state * 48271) % 2147483647;
  return state % below;
};

async function expectFailure(action) {
  try {
    await action();
  } catch {
    return;
  }
  throw new Error(`expected a failure of ${action}`);
}

async function drain(generation, after = () => undefined) {
  const pieces = generation[Symbol.asyncIterator]();
  while (!(await pieces.next()).done) after();
}

/** Three generations for two sequences, one of which is cancelled, with a uniform that changes. */
async function generate(model, round) {
  const batch = model.batch({ sequences: 2, contextSize: 64, threads: 1 });
  const controller = new AbortController();
  const { signal } = controller;
  const first = batch.add("In the", { chain: warm, maxTokens: 6, uniforms: { t: 0.8 } });
  const all = [
    drain(first, () => first.setUniforms({ t: 1 + round / 10 })),
    drain(batch.add("And God", { chain: CHAINS[round % 3], maxTokens: 9, signal })).catch(() => undefined),
    drain(batch.add("The king", { chain: CHAINS[(round + 1) % 3], maxTokens: 4 })),
  ];
  setImmediate(() => controller.abort());
  await Promise.all(all);
  batch.dispose();
  await expectFailure(() => drain(batch.add("In the", { chain: warm })));
}

function evaluate() {
  for (const chain of [warm, CHAINS[0]]) {
    const evaluator = createEvaluator(chain.graph, 64, { backend: "cpu" });
    evaluator.evaluate(Float32Array.from({ length: 64 }, () => random(100) / 10));
    evaluator.dispose();
  }
}

/** Wire graphs with a changed word: refused, or a graph. */
function decodeDamaged({ Graph, Evaluator }) {
  const words = encodeWire(warm.graph);
  for (let i = 0; i < 200; i++) {
    const damaged = Int32Array.from(words);
    damaged[random(words.length)] = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), random(64)][random(6)];
    try {
      const graph = new Graph(damaged.subarray(0, random(8) === 0 ? random(words.length) : words.length));
      new Evaluator(graph, { vocabSize: 64 }).dispose();
    } catch (error) {
      if (!error.code) throw error;
    }
  }
}

async function refuse(binding, model) {
  const native = await binding.loadModel(path, { gpuLayers: 0 });
  await expectFailure(() => new binding.Tail([{ name: "grammar", text: 'root ::= root "a"' }], native));
  await expectFailure(() => new binding.Tail([{ name: "none" }]));
  await expectFailure(() => binding.loadModel(join(folder, "none.gguf"), {}));
  await expectFailure(() => binding.loadModel("package.json", {}));
  await expectFailure(() => native.createContext({ contextSize: -1 }));
  await expectFailure(() => model.logits(new Int32Array(5000).fill(1)));
  const bytes = readFileSync(path);
  writeFileSync(join(folder, "short.gguf"), bytes.subarray(0, random(bytes.length)));
  await expectFailure(() => binding.loadModel(join(folder, "short.gguf"), {}));
  const tail = new binding.Tail([{ name: "grammar", text: "root ::= [a-z ]*" }], native);
  const copy = tail.clone();
  const tokens = Int32Array.from({ length: native.info.vocabSize }, (_, token) => token);
  copy.apply({ tokens, logits: new Float32Array(tokens.length) });
  for (const object of [tail, copy, native]) object.dispose();
}

const binding = loadBinding();
for (let round = 0; round < Number(rounds); round++) {
  const model = await loadModel(path, { backend: "cpu" });
  await generate(model, round);
  evaluate();
  decodeDamaged(binding);
  await refuse(binding, model);
  await model.logits("In the beginning");
  model.dispose();
}
rmSync(folder, { recursive: true });
console.log("ok");

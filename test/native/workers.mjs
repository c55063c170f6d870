/**
 * Worker threads that end at random moments, by `worker.terminate()` or by `process.exit()` in the worker, while they use the
 * addon and the main thread generates a text: `node workers.mjs ROUNDS GGUF [KINDS]`. Prints what the main thread generated, and how
 * often each kind of worker ended.
 */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { compilePipeline } from "ggsl/chain/chain.js";
import { loadModel } from "ggsl/models/model.js";

const chain = compilePipeline("top_k(40) |> temp(0.8) |> dist(1)");
const PROMPT = "In the beginning";
const forever = async (action) => {
  for (;;) await action();
};
const drain = async (generation) => {
  const pieces = generation[Symbol.asyncIterator]();
  while (!(await pieces.next()).done);
};
const generate = async (model, options = {}) => {
  const tokens = [];
  for await (const { token } of model.generate(PROMPT, { chain, threads: 1, ...options })) tokens.push(token);
  return tokens;
};

/** What workers do until they end. Each has loaded the model. */
const KINDS = {
  generate: (model) => forever(() => generate(model)),
  host: (model) => forever(() => generate(model, { placement: "host", checkLogits: true })),
  // more than the threads that run them, so that some wait
  queued: (model) => Promise.all(Array.from({ length: 8 }, () => forever(() => generate(model)))),
  batch: (model) => {
    const batch = model.batch({ sequences: 3, contextSize: 64, threads: 1 });
    const text = () => drain(batch.add(PROMPT, { chain }));
    return Promise.all(Array.from({ length: 5 }, () => forever(text)));
  },
  evaluate: () => forever(() => chain.evaluate(new Float32Array(1000), { backend: "cpu" })),
  loadModel: () => forever(() => loadModel(workerData.path, { backend: "cpu" })),
  logits: (model) => forever(() => model.logits(PROMPT)),
  tail: (model) => {
    const picked = compilePipeline('top_k(64) |> host grammar("root ::= [a-zA-Z ]*") |> host dist(3)');
    return forever(() => generate(model, { chain: picked }));
  },
  // nothing is disposed of, and nothing runs any more
  idle: async (model) => {
    const batch = model.batch({ sequences: 2, contextSize: 64 });
    await batch.add(PROMPT, { chain, maxTokens: 3 })[Symbol.asyncIterator]().next();
    globalThis.kept = [model, batch, await loadModel(workerData.path, { backend: "cpu" })];
  },
  // ends itself within a generation
  exit: (model) => {
    setTimeout(() => process.exit(0), workerData.milliseconds);
    return forever(() => generate(model));
  },
};

async function runWorker() {
  const model = await loadModel(workerData.path, { backend: "cpu" });
  parentPort.postMessage("begins");
  await KINDS[workerData.kind](model);
}

/** Ends a worker of that kind; false if it failed before. */
async function endWorker(kind, path) {
  const milliseconds = Math.random() * 40;
  const worker = new Worker(new URL(import.meta.url), { workerData: { kind, path, milliseconds } });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  const failed = new Promise((resolve) => worker.once("error", resolve));
  const begins = new Promise((resolve) => worker.once("message", resolve));
  const error = await Promise.race([begins.then(() => undefined), failed]);
  if (error instanceof Error) return String(error.stack);
  if (kind !== "exit" && kind !== "idle") {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    void worker.terminate();
  }
  await ended;
  return undefined;
}

async function runMain() {
  const [rounds, path, kinds = Object.keys(KINDS).join()] = process.argv.slice(2);
  const model = await loadModel(path, { backend: "cpu" });
  const expected = await generate(model, { maxTokens: 40 });
  const found = { expected, others: [], texts: 0, ended: {}, errors: [] };
  let isOver = false;
  const generating = (async () => {
    while (!isOver) {
      const tokens = await generate(model, { maxTokens: 40 });
      found.texts++;
      if (tokens.join() !== expected.join()) found.others.push(tokens);
    }
  })();
  for (let i = 0; i < Number(rounds); i++) {
    const kind = kinds.split(",")[i % kinds.split(",").length];
    const error = await endWorker(kind, path);
    if (error) found.errors.push(`${kind}: ${error}`);
    else found.ended[kind] = (found.ended[kind] ?? 0) + 1;
  }
  isOver = true;
  await generating;
  console.log(JSON.stringify(found));
}

await (isMainThread ? runMain() : runWorker());

/** Prompts: several texts of one, conversations, and long ones beside texts that are being written. */
import { compile, loadModel, type GenerationBatch, type Model } from "ggsl";
import { spreadOf, type ModelMeasurement } from "../results.js";
import { ratioOf, type ModelCase } from "./case.js";

const SOURCE = `import { logit_bias, top_k, temp, dist } from "std"
chain c(seed: seed = 1) = logit_bias() |> top_k(40) |> temp(0.8) |> dist(seed)`;
const chain = compile(SOURCE);
const STORY =
  "And it came to pass, that the king said unto them, Go ye into the land of Egypt, and bring me word again. ";
const WRITERS = 8;

/** Prompts that share nothing, whatever was read before. */
function* promptsOf(model: Model, length: number): Generator<Int32Array> {
  const tokens = model.tokenize(STORY.repeat(Math.ceil(length / 20))).slice(0, length);
  for (let salt = 300; ; salt++) yield Int32Array.from(tokens, (token, i) => (i === 0 ? salt : token));
}

/** The number of computed tokens of the prompt. */
async function read(batch: GenerationBatch, prompt: Int32Array, seed = 1, maxTokens = 1): Promise<number> {
  const generation = batch.add(prompt, { chain, uniforms: { seed }, maxTokens });
  for await (const _ of generation);
  return generation.stats().computedPromptTokens;
}

/** Eight texts of one prompt, against eight prompts of the same length. */
async function copies(model: Model, rounds: number): Promise<ModelMeasurement> {
  using batch = model.batch({ sequences: WRITERS, contextSize: 512 });
  const prompts = promptsOf(model, 400);
  const all = (prompt: () => Int32Array): Promise<unknown> =>
    Promise.all(Array.from({ length: WRITERS }, (_, i) => read(batch, prompt(), i)));
  const one = (): Promise<unknown> => {
    const prompt = prompts.next().value as Int32Array;
    return all(() => prompt);
  };
  const many = (): Promise<unknown> => all(() => prompts.next().value as Int32Array);
  const found = await ratioOf(one, many, rounds, "cpu");
  return { what: "CPU time of 8 texts of a prompt of 400 tokens, over that of 8 prompts", most: 0.15, found };
}

/** The second turn of a conversation of 1 000 tokens. */
async function conversation(model: Model): Promise<ModelMeasurement> {
  using batch = model.batch({ sequences: 2, contextSize: 2048 });
  const prompt = promptsOf(model, 900).next().value as Int32Array;
  const first = batch.add(prompt, { chain, maxTokens: 100 });
  for await (const _ of first);
  const question = model.tokenize(" And what came to pass after these things?").slice(1);
  const second = Int32Array.from([...first.save().tokens, ...question]);
  const found = await read(batch, second);
  const what = `prompt tokens computed in the second turn of a conversation, of ${second.length}, of which ${question.length} are new`;
  return { what, unit: "tokens", most: question.length + 1, found };
}

/** While a prompt of 2 000 tokens is read beside eight writers: the longest time between two tokens of a writer, in pieces. */
async function gap(model: Model, rounds: number, promptBatch: number): Promise<ModelMeasurement[]> {
  const gaps: number[] = [];
  const reads: number[] = [];
  using batch = model.batch({ sequences: WRITERS + 1, contextSize: 2048, promptBatch });
  const prompts = promptsOf(model, 2000);
  for (let round = 0; round <= rounds; round++) {
    const stop = new AbortController();
    const feed = { bias: new Map([[model.info.eos, -Infinity]]) };
    const latest = new Map<number, number>();
    let longest = 0;
    let isReading = false;
    const writers = Array.from({ length: WRITERS }, async (_, i) => {
      const options = { chain, feed, uniforms: { seed: i }, signal: stop.signal };
      for await (const _piece of batch.add("And God said", options)) {
        const now = performance.now();
        if (isReading) longest = Math.max(longest, now - latest.get(i)!);
        latest.set(i, now);
      }
    }).map((writer) => writer.catch(() => undefined));
    while (latest.size < WRITERS) await new Promise((resolve) => setTimeout(resolve, 1));
    const ends: number[] = [];
    isReading = true;
    const start = performance.now();
    const onPromptProgress = (): unknown => ends.push(performance.now());
    const prompt = prompts.next().value as Int32Array;
    for await (const _ of batch.add(prompt, { chain, maxTokens: 1, onPromptProgress }));
    isReading = false;
    stop.abort();
    await Promise.all(writers);
    const pieces = ends.map((end, i) => end - (ends[i - 1] ?? start));
    if (round === 0) continue;
    gaps.push(longest / Math.max(...pieces));
    reads.push(performance.now() - start);
  }
  const pieces = `pieces of ${promptBatch} tokens`;
  return [
    {
      what: `longest gap of 8 writers while 2 000 tokens are read, ${pieces}`,
      unit: "pieces",
      most: 2,
      found: spreadOf(gaps),
    },
    { what: `reading 2 000 tokens beside 8 writers, ${pieces}`, unit: "ms", found: spreadOf(reads) },
  ];
}

export const prompts: ModelCase = {
  name: "prompts",
  async measure({ demo }, rounds, signal) {
    using model = await loadModel(demo, { backend: "cpu", threads: 1 });
    const measured = [await copies(model, rounds), await conversation(model)];
    for (const promptBatch of [64, 128, 512]) {
      signal.throwIfAborted();
      measured.push(...(await gap(model, rounds, promptBatch)));
    }
    return measured;
  },
};

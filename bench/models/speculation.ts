/**
 * Texts with drafts by prompt lookup, relative to the same texts without: on a text that repeats itself, on one that does not, and 64 of each
 * at once.
 */
import { compile, compilePipeline, loadModel, type Chain, type Model } from "ggsl";
import { ratioOf, type ModelCase } from "./case.js";

const TOKENS = 200;
/** Texts that are written at once, and the tokens of each. */
const MANY = { texts: 64, tokens: 100 };
/** The chain makes any model write these in turn. */
const CYCLE = [300, 301, 302, 303];
const REPEATING = `import { greedy } from "std"
sampler cycle() { logit += 1000 * completes([[300, 301], [301, 302], [302, 303], [303, 300]]) }
chain c() = cycle |> greedy`;

export const speculation: ModelCase = {
  name: "speculation",
  async measure({ demo, random, wide }, rounds, signal) {
    const prompt = Int32Array.from({ length: 32 }, (_, i) => CYCLE[i % CYCLE.length]!);
    const kinds = [
      { what: "a text that repeats itself", chain: compile(REPEATING), least: 1.8 },
      { what: "a text that does not", chain: compilePipeline("temp(1.5) |> dist(1)"), least: 0.97 },
    ];
    const many = [
      { what: `${MANY.texts} texts that repeat themselves`, chain: compile(REPEATING), least: 1.15 },
      { what: `${MANY.texts} texts that do not`, chain: compilePipeline("temp(1.5) |> dist(1)"), least: 0.97 },
    ];
    const measured = [];
    for (const [name, file] of Object.entries({ demo, random, wide })) {
      using model = await loadModel(file, { backend: "cpu", threads: 1, contextSize: 512 });
      for (const { what, chain, least } of kinds) {
        signal.throwIfAborted();
        const without = () => write(model, chain, prompt, false);
        const found = await ratioOf(without, () => write(model, chain, prompt, true), rounds, "cpu");
        measured.push({ what: `prompt lookup, ${name} model, ${what}: tokens/s relative to none`, least, found });
      }
      if (name === "random") continue;
      for (const { what, chain, least } of many) {
        signal.throwIfAborted();
        const without = () => writeMany(model, chain, prompt, false);
        const found = await ratioOf(without, () => writeMany(model, chain, prompt, true), Math.min(rounds, 5), "cpu");
        measured.push({ what: `prompt lookup, ${name} model, ${what}: tokens/s relative to none`, least, found });
      }
    }
    return measured;
  },
};

async function write(model: Model, chain: Chain, prompt: Int32Array, speculates: boolean): Promise<void> {
  const speculate = speculates ? { speculate: { ngram: {} } } : {};
  for await (const _ of model.generate(prompt, { chain, maxTokens: TOKENS, ...speculate }));
}

/** Texts of a server with as many places. */
async function writeMany(model: Model, chain: Chain, prompt: Int32Array, speculates: boolean): Promise<void> {
  using batch = model.batch({ sequences: MANY.texts, contextSize: 256 });
  const speculate = speculates ? { speculate: { ngram: {} } } : {};
  const read = async (): Promise<void> => {
    for await (const _ of batch.add(prompt, { chain, maxTokens: MANY.tokens, ...speculate }));
  };
  await Promise.all(Array.from({ length: MANY.texts }, read));
}

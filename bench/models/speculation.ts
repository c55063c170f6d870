/** Texts with drafts by prompt lookup, relative to the same texts without: on a text that repeats itself, and on one that does not. */
import { compilePipeline, loadModel, type Chain, type Model } from "ggsl";
import { ratioOf, type ModelCase } from "./case.js";

const TOKENS = 200;
const VERSE = "In the beginning God created the heaven and the earth. ";

export const speculation: ModelCase = {
  name: "speculation",
  async measure({ demo, random }, rounds, signal) {
    const texts = [
      { of: "demo", file: demo, what: "greedy() repeats itself", prompt: VERSE.repeat(4), chain: "greedy()" },
      { of: "demo", file: demo, what: "no repetition", prompt: "And", chain: "temp(1.5) |> dist(1)" },
      { of: "random", file: random, what: "greedy() repeats itself", prompt: VERSE.repeat(4), chain: "greedy()" },
      { of: "random", file: random, what: "no repetition", prompt: "And", chain: "dist(1)" },
    ];
    const measured = [];
    for (const { of, file, what, prompt, chain } of texts) {
      signal.throwIfAborted();
      using model = await loadModel(file, { backend: "cpu", threads: 1, contextSize: 512 });
      const compiled = compilePipeline(chain);
      const found = await ratioOf(
        () => write(model, compiled, prompt, false),
        () => write(model, compiled, prompt, true),
        rounds,
      );
      measured.push({
        what: `prompt lookup, ${of} model, ${what}, tokens/s relative to those without`,
        least: what.startsWith("greedy") ? 1.8 : 0.95,
        found,
      });
    }
    return measured;
  },
};

async function write(model: Model, chain: Chain, prompt: string, speculates: boolean): Promise<void> {
  const speculate = speculates ? { speculate: { ngram: {} } } : {};
  for await (const _ of model.generate(prompt, { chain, maxTokens: TOKENS, ...speculate }));
}

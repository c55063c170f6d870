/**
 * Texts with drafts by prompt lookup, relative to the same texts without: on a text that repeats itself, on one that does not, and 64 of each
 * at once. A case for each model.
 */
import { compile, compilePipeline, loadModel, type Chain, type Model } from "ggsl";
import type { ModelMeasurement } from "../results.js";
import { ratioOf, type ModelCase } from "./case.js";

const TOKENS = 200;
/** The least of a text that repeats itself, of many of these, and of what does not repeat: drafts must not make a text slower. */
const LEAST = { repeating: 1.8, manyRepeating: 1.15, other: 0.97 };
/** Texts that are written at once, and the tokens of each. */
const MANY = { texts: 64, tokens: 100 };
/** The chain makes any model write these in turn. */
const CYCLE = [300, 301, 302, 303];
const REPEATING = `import { greedy } from "std"
sampler cycle() { logit += 1000 * completes([[300, 301], [301, 302], [302, 303], [303, 300]]) }
chain c() = cycle |> greedy`;

type Models = Parameters<ModelCase["measure"]>[0];

/** Models whose decodes cost differently, with and without many texts at once. */
const MEASURED: readonly { readonly model: keyof Models; readonly many: boolean }[] = [
  { model: "demo", many: true },
  { model: "random", many: false },
  { model: "wide", many: false },
  { model: "heavy", many: false },
];

const ofModel = ({ model: name, many }: (typeof MEASURED)[number]): ModelCase => ({
  name: `speculation-${name}`,
  async measure(models, rounds, signal) {
    const prompt = Int32Array.from({ length: 32 }, (_, i) => CYCLE[i % CYCLE.length]!);
    const [same, other] = [compile(REPEATING), compilePipeline("temp(1.5) |> dist(1)")];
    const kinds = [
      { what: "a text that repeats itself", chain: same, least: LEAST.repeating },
      { what: "a text that does not", chain: other, least: LEAST.other },
    ];
    const ofMany = [
      { what: `${MANY.texts} texts that repeat themselves`, chain: same, least: LEAST.manyRepeating },
      { what: `${MANY.texts} texts that do not`, chain: other, least: LEAST.other },
    ];
    const measured: ModelMeasurement[] = [];
    using model = await loadModel(models[name], { backend: "cpu", threads: 1, contextSize: 512 });
    const measure = async (kind: (typeof kinds)[number], writeBy: typeof write, rounds: number): Promise<void> => {
      signal.throwIfAborted();
      const { what, chain, least } = kind;
      const without = () => writeBy(model, chain, prompt, false);
      const found = await ratioOf(without, () => writeBy(model, chain, prompt, true), rounds, "cpu");
      measured.push({ what: `prompt lookup, ${name} model, ${what}: tokens/s relative to none`, least, found });
    };
    for (const kind of kinds) await measure(kind, write, rounds);
    if (many) for (const kind of ofMany) await measure(kind, writeMany, Math.min(rounds, 5));
    return measured;
  },
});

export const speculation: readonly ModelCase[] = MEASURED.map(ofModel);

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

/**
 * Texts with drafts by prompt lookup, relative to the same texts without: on a text that repeats itself, on one that does not, and 64 of each
 * at once. A case for each model.
 */
import { compile, compilePipeline, loadModel, type Chain, type Model } from "ggsl";
import type { ModelMeasurement } from "../results.js";
import { ratioOf, type ModelCase } from "./case.js";

const TOKENS = 200;
/** Drafts must not make a text slower. */
const LEAST = 0.97;
/** Texts that are written at once, and the tokens of each. */
const MANY = { texts: 64, tokens: 100 };
/** The chain makes any model write these in turn. */
const CYCLE = [300, 301, 302, 303];
const REPEATING = `import { greedy } from "std"
sampler cycle() { logit += 1000 * completes([[300, 301], [301, 302], [302, 303], [303, 300]]) }
chain c() = cycle |> greedy`;

type Models = Parameters<ModelCase["measure"]>[0];

/** What drafts do for a model whose decodes cost what its do. */
interface Expected {
  readonly model: keyof Models;
  /** The least of a text that repeats itself: 1.8 where a decode of 16 rows is cheap enough. */
  readonly repeating: number;
  /** Whether many texts are measured. */
  readonly many: boolean;
}

const EXPECTED: readonly Expected[] = [
  { model: "demo", repeating: LEAST, many: true },
  { model: "random", repeating: LEAST, many: false },
  { model: "wide", repeating: LEAST, many: false },
  { model: "heavy", repeating: 1.8, many: false },
];

const ofModel = ({ model: name, repeating, many }: Expected): ModelCase => ({
  name: `speculation-${name}`,
  async measure(models, rounds, signal) {
    const prompt = Int32Array.from({ length: 32 }, (_, i) => CYCLE[i % CYCLE.length]!);
    const [same, other] = [compile(REPEATING), compilePipeline("temp(1.5) |> dist(1)")];
    const kinds = [
      { what: "a text that repeats itself", chain: same, least: repeating },
      { what: "a text that does not", chain: other, least: LEAST },
    ];
    const ofMany = [
      { what: `${MANY.texts} texts that repeat themselves`, chain: same, least: LEAST },
      { what: `${MANY.texts} texts that do not`, chain: other, least: LEAST },
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

export const speculation: readonly ModelCase[] = EXPECTED.map(ofModel);

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

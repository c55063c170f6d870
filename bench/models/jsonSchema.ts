/** Texts that obey a JSON schema, relative to texts that need not: a vocabulary of 128 256 tokens, and a model that costs little. */
import { compile, loadModel, type Chain, type Model } from "ggsl";
import { costOf, ratioOf, type ModelCase } from "./case.js";

const TOKENS = 128;
const DEFAULT = "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(seed)";
const IMPORT = 'import { constrain, top_k, top_p, min_p, temp, dist } from "std"';
const FREE = compile(`${IMPORT}\nchain c(seed: seed = 1) = ${DEFAULT}`);
const CONSTRAINED = compile(`${IMPORT}\nchain c(g: grammar, seed: seed = 1) = constrain(g) |> ${DEFAULT}`);

/** No text that obeys it ends before there are enough tokens. */
const SCHEMA = {
  type: "array",
  minItems: 500,
  items: {
    type: "object",
    properties: {
      name: { type: "string" },
      age: { type: "integer" },
      tags: { type: "array", items: { type: "string" } },
      size: { enum: ["small", "medium", "large"] },
    },
    required: ["name", "age", "tags", "size"],
  },
};

export const jsonSchema: ModelCase = {
  name: "jsonSchema",
  async measure({ random }, rounds, signal) {
    using model = await loadModel(random, { backend: "cpu", threads: 1, contextSize: 512 });
    let seed = 0;
    const without = () => write(model, FREE, { seed: ++seed });
    const withSchema = () => write(model, CONSTRAINED, { seed: ++seed, g: { jsonSchema: SCHEMA } });
    await without();
    const first = await costOf(() => write(model, CONSTRAINED, { seed: 0, g: { jsonSchema: SCHEMA } }, 1));
    signal.throwIfAborted();
    const found = await ratioOf(without, withSchema, rounds);
    const [free, constrained] = [
      await uploaded(model, FREE),
      await uploaded(model, CONSTRAINED, { g: { jsonSchema: SCHEMA } }),
    ];
    const { vocabSize } = model.info;
    return [
      { what: "a JSON schema, random model: tokens/s relative to none", least: 0.97, found },
      {
        what: `bytes uploaded for a token, more than without the schema, of ${vocabSize} tokens`,
        unit: "bytes",
        most: vocabSize / 4,
        found: constrained - free,
      },
      { what: "the first token with a JSON schema", unit: "ms", found: first.wall * 1e3 },
    ];
  },
};

type Values = Readonly<Record<string, unknown>>;

async function write(model: Model, chain: Chain, uniforms: Values, maxTokens = TOKENS): Promise<void> {
  const generation = model.generate("In the beginning", { chain, uniforms, maxTokens } as never);
  for await (const _ of generation);
  const { generatedTokens } = generation.stats();
  if (generatedTokens !== maxTokens) throw new Error(`expected ${maxTokens} tokens, found ${generatedTokens}`);
}

/** Bytes for each token but the first ones. */
async function uploaded(model: Model, chain: Chain, uniforms: Values = {}): Promise<number> {
  const generation = model.generate("In the beginning", { chain, uniforms, maxTokens: TOKENS } as never);
  const counts: number[] = [];
  for await (const _ of generation) counts.push(generation.stats().uploadBytes);
  return (counts.at(-1)! - counts[8]!) / (counts.length - 9);
}

/**
 * `npm run watermarks -- --texts 1000 --tokens 200`: texts of the demo model with each watermark and without, the share that is
 * recognized, and what the mark costs: the perplexity of the texts by the model, without the stages of the chain. Each text without a mark is
 * scored once by each detector, with a key of its own.
 */
import { join } from "node:path";
import { compile, type Chain } from "ggsl/chain/chain.js";
import { detectAaronson, detectSynthId, detectWatermark, type WatermarkScore } from "ggsl/chain/watermark.js";
import type { GenerationBatch } from "ggsl/models/batch.js";
import { loadModel, type Model } from "ggsl/models/model.js";
import { count, readArguments } from "./lib/arguments.js";
import { root } from "./lib/process.js";

const MODEL = join(root, "examples", "model", "demo-q8_0.gguf");
/** Texts at once. */
const SEQUENCES = 32;
/** A text counts as marked above it: chance exceeds it in one of 30 000 cases. */
const LEAST_Z = 4;
/** Chance stays below it in 977 of 1000 cases. */
const USUAL_Z = 2;
const PROMPTS = ["And the LORD said unto", "In the beginning", "Blessed is the man", "Now it came to pass"];

type Detect = (tokens: readonly number[], key: number) => WatermarkScore;

interface Scheme {
  readonly name: string;
  /** With the parameters `key` and `seed`. */
  readonly stages: string;
  readonly detectors: readonly (keyof typeof DETECTORS)[];
}

const DETECTORS = {
  synthid: (tokens, key) => detectSynthId(tokens, { key }),
  aaronson: (tokens, key) => detectAaronson(tokens, { key }),
  watermark: (tokens, key) => detectWatermark(tokens, { key }),
} as const satisfies Record<string, Detect>;

const SCHEMES: readonly Scheme[] = [
  { name: "none", stages: "dist(seed)", detectors: ["synthid", "aaronson", "watermark"] },
  { name: "synthid", stages: "synthid(key) |> dist(seed)", detectors: ["synthid"] },
  { name: "aaronson", stages: "aaronson(key)", detectors: ["aaronson"] },
  { name: "watermark, delta 2", stages: "watermark(key) |> dist(seed)", detectors: ["watermark"] },
];

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run watermarks -- [--texts N] [--tokens N]", {
    args,
    options: { texts: { type: "string", default: "1000" }, tokens: { type: "string", default: "200" } },
  });
  const [texts, tokens] = [Number(count("texts", values.texts)), Number(count("tokens", values.tokens))];
  const contextSize = tokens + 32;
  using model = await loadModel(MODEL, { backend: "cpu", contextSize });
  using batch = model.batch({ sequences: SEQUENCES, contextSize });
  const head = [
    "watermark",
    "function of",
    "texts",
    `z below ${USUAL_Z}`,
    `z above ${LEAST_Z}`,
    "least z",
    "median z",
    "most z",
  ];
  console.log(`| ${[...head, "perplexity"].join(" | ")} |`);
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const scheme of SCHEMES)
    for (const row of await rowsOf({ model, batch, texts, tokens }, scheme)) console.log(row);
  return 0;
}

/** A key for each text. */
const keyOf = (number: number): number => 7919 * number;

interface Place {
  readonly model: Model;
  readonly batch: GenerationBatch;
  readonly texts: number;
  readonly tokens: number;
}

async function rowsOf(place: Place, { name, stages, detectors }: Scheme): Promise<string[]> {
  const params = ["key", "seed"].filter((param) => stages.includes(`(${param})`));
  const samplers = [...stages.matchAll(/(\w+)\(/g)].map(([, sampler]) => sampler!);
  const list = params.map((param) => `${param}: seed = 0`).join(", ");
  const chain = compile(`import { ${samplers.join(", ")} } from "std"\nchain c(${list}) = ${stages}`);
  const scores = detectors.map((detector) => ({ detector, z: [] as number[] }));
  let [surprise, length] = [0, 0];
  for (let first = 0; first < place.texts; first += SEQUENCES) {
    const numbers = Array.from({ length: Math.min(SEQUENCES, place.texts - first) }, (_, i) => first + i + 1);
    const written = await Promise.all(
      numbers.map((number) => {
        const values = { key: keyOf(number), seed: number };
        const uniforms = Object.fromEntries(Object.entries(values).filter(([param]) => params.includes(param)));
        return textOf(place, { chain, uniforms }, number);
      }),
    );
    for (const [i, { tokens, logprobs }] of written.entries()) {
      for (const { detector, z } of scores) z.push(DETECTORS[detector](tokens, keyOf(numbers[i]!)).z);
      surprise -= logprobs.reduce((sum, one) => sum + one, 0);
      length += logprobs.length;
    }
  }
  const perplexity = Math.exp(surprise / length).toFixed(2);
  return scores.map(({ detector, z }) => {
    const sorted = z.toSorted((a, b) => a - b);
    const at = (part: number): string => sorted[Math.round(part * (sorted.length - 1))]!.toFixed(2);
    const [usual, above] = [z.filter((one) => one < USUAL_Z).length, z.filter((one) => one > LEAST_Z).length];
    return `| ${[name, detector, z.length, usual, above, at(0), at(0.5), at(1), perplexity].join(" | ")} |`;
  });
}

interface Marked {
  readonly chain: Chain;
  readonly uniforms: Readonly<Record<string, number>>;
}

async function textOf({ batch, tokens: maxTokens }: Place, marked: Marked, number: number) {
  const tokens: number[] = [];
  const logprobs: number[] = [];
  const options = { ...marked, maxTokens, ignoreEnd: true, logprobs: 0 };
  for await (const { token, logprob } of batch.add(PROMPTS[number % PROMPTS.length]!, options)) {
    tokens.push(token);
    logprobs.push(logprob!);
  }
  return { tokens, logprobs };
}

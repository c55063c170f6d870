/** A comparison with the model of the server that the page is from: its texts by requests, and what is measured on them. */
import { hasOpenSeed } from "@ggsl/compiler/graph/seeds.js";
import { STD_NAMES } from "@ggsl/compiler/std/library.js";
import { resultOf, type Comparison } from "ggsl/compare/comparison.js";
import type { WrittenText } from "ggsl/compare/measures.js";
import type { CompareProgress } from "ggsl/compare/options.js";
import { ComparedTexts } from "ggsl/compare/texts.js";
import { abortError } from "ggsl/core/errors.js";
import type { Connection } from "../server/connection.js";
import { writeText } from "../server/text.js";
import type { SourceChain } from "./chains.js";

/** Texts that are written at the same time. */
const SEQUENCES = 4;
/** The measure that tells the entropy of the model's distribution, which a server does not send by itself, and its sampler. */
const ENTROPY = "model_entropy";
const SAMPLER = `
sampler ${ENTROPY}() {
  measure ${ENTROPY} = sum(-log_softmax(logit) * softmax(logit))
}
`;
const COMPARED = "compared";

interface Options {
  readonly chains: readonly SourceChain[];
  readonly texts: number;
  readonly tokens: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CompareProgress) => void;
}

/** Rejects with `ServerError` for what the server refuses, and with the signal's reason. */
export async function compareServed(connection: Connection, prompt: string, options: Options): Promise<Comparison> {
  const { chains, texts, tokens, seed, signal, onProgress } = options;
  const all = new ComparedTexts(chains.length, texts, tokens);
  const idOf = newIds();
  const comparison = (count: number): Comparison => ({
    prompt,
    seed,
    tokens,
    chains: chains.map(({ name, chain }, i) =>
      resultOf({ name, hasOpenSeed: hasOpenSeed(chain.graph), texts: all.first(i, count) }),
    ),
  });
  const report = (): void =>
    onProgress({
      fraction: all.fraction,
      texts: all.complete,
      comparison: () => (all.complete === 0 ? undefined : comparison(all.complete)),
    });
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const write = async (place: number, index: number): Promise<void> => {
    const request = { prompt, maxTokens: tokens, seed: (seed + index) % 2 ** 32 };
    const written = await writeOne(connection, chains[place]!, { ...request, idOf, signal: either }, (count) => {
      all.count(place, index, count);
      report();
    });
    all.end(place, index, written);
    report();
  };
  // the first text of each chain, then the second
  const places = Array.from({ length: texts * chains.length }, (_, i) => i);
  const work = async (): Promise<void> => {
    for (let i = places.shift(); i !== undefined; i = places.shift())
      await write(i % chains.length, Math.floor(i / chains.length));
  };
  try {
    await Promise.all(Array.from({ length: SEQUENCES }, work));
  } catch (error) {
    throw signal.aborted ? abortError(signal) : error;
  } finally {
    stop.abort();
  }
  return comparison(texts);
}

interface OneText {
  readonly prompt: string;
  readonly maxTokens: number;
  readonly seed: number;
  readonly idOf: (text: string) => number;
  readonly signal: AbortSignal;
}

async function writeOne(
  connection: Connection,
  source: SourceChain,
  { prompt, maxTokens, seed, idOf, signal }: OneText,
  onToken: (count: number) => void,
): Promise<WrittenText> {
  signal.throwIfAborted();
  const request = { kind: "program", text: measured(source), chain: COMPARED, statics: {}, seed } as const;
  const writing = writeText(connection, {
    request,
    spec: "",
    hasOpenSeed: hasOpenSeed(source.chain.graph),
    uniforms: {},
    prompt,
    maxTokens,
    bannedPhrases: [],
    guidePrompt: () => "",
  });
  const cancel = (): void => writing.cancel();
  signal.addEventListener("abort", cancel);
  const tokens: number[] = [];
  const entropies: number[] = [];
  const logprobs: number[] = [];
  let text = "";
  try {
    for await (const token of writing) {
      tokens.push(idOf(token.text));
      entropies.push(token.measures?.[ENTROPY] ?? NaN);
      logprobs.push(token.logprob!);
      text += token.text;
      onToken(tokens.length);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
  signal.throwIfAborted();
  return { seed, text, tokens, entropies, logprobs, finish: (await writing.end).finish };
}

/** The chain behind a stage that measures the model's distribution, as a program. */
function measured({ text, own }: Pick<SourceChain, "text" | "own">): string {
  const chain = (stages: string): string => `chain ${COMPARED} = ${ENTROPY}() |> ${stages}\n`;
  if (own !== undefined) return `${text}\n${SAMPLER}${chain(own)}`;
  const words = new Set(text.match(/\w+/g));
  const names = STD_NAMES.filter((name) => words.has(name));
  return `import { ${names.join(", ")} } from "std"\n${SAMPLER}${chain(text.trim())}`;
}

/** Numbers for the texts of tokens, since the server sends no ids: tokens with the same text, such as parts of characters, are one here. */
function newIds(): (text: string) => number {
  const ids = new Map<string, number>();
  return (text) => {
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  };
}

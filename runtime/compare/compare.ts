/** Writes the texts of a comparison. */
import { hasOpenSeed } from "@ggsl/compiler/graph/seeds.js";
import { onAbort } from "../core/aborts.js";
import type { GenerationBatch } from "../models/batch.js";
import * as checks from "../core/sharedOptions.js";
import { abortError, InputError } from "../core/errors.js";
import type { Model } from "../models/model.js";
import { copied } from "../sequence/prompt.js";
import { resultOf, type Comparison } from "./comparison.js";
import { ComparedTexts } from "./texts.js";
import { checkCompare, DEFAULTS, type ComparedChain, type CompareOptions } from "./options.js";
import type { WrittenText } from "./measures.js";

/**
 * Writes texts with each chain, after the same prompt and with the same seeds, in one batch, and measures them.
 * @throws InputError for invalid options, a chain that picks no token or needs what is not given, and a prompt that leaves no room
 * @throws the reason of `signal` when it is aborted
 */
export async function compareChains(
  model: Model,
  prompt: string | Int32Array,
  options: CompareOptions,
): Promise<Comparison> {
  checks.prompt(model.info.vocabSize)(prompt, "prompt");
  checkCompare(options);
  const { texts = DEFAULTS.texts, tokens = DEFAULTS.tokens, seed = DEFAULTS.seed } = options;
  const { chains, sequences = DEFAULTS.sequences, signal, onProgress, strict, special } = options;
  if (signal?.aborted) throw abortError(signal);
  const begun = typeof prompt === "string" ? model.tokenize(prompt, { special }) : copied(prompt);
  const contextSize = contextSizeOf(model, begun.length, tokens, options.contextSize);
  const all = new ComparedTexts(chains.length, texts, tokens);
  const comparison = (count: number): Comparison => ({
    prompt: typeof prompt === "string" ? prompt : textOf(model, begun),
    seed,
    tokens,
    chains: chains.map(({ name, chain }, i) =>
      resultOf({ name, hasOpenSeed: hasOpenSeed(chain.graph), texts: all.first(i, count) }),
    ),
  });
  const stop = new AbortController();
  const forget = onAbort(signal, () => stop.abort(signal!.reason));
  const onToken =
    onProgress &&
    (() =>
      onProgress({
        fraction: all.fraction,
        texts: all.complete,
        comparison: () => (all.complete === 0 ? undefined : comparison(all.complete)),
      }));
  using batch = model.batch({
    sequences: Math.min(sequences, chains.length * texts),
    contextSize,
    ...(strict !== undefined && { strict }),
  });
  const write = async (place: number, index: number): Promise<void> => {
    const own = (seed + index) % 2 ** 32;
    const request = { batch, prompt: begun, maxTokens: tokens, seed: own, signal: stop.signal };
    const written = await writeText(chains[place]!, request, (count) => {
      all.count(place, index, count);
      onToken?.();
    });
    all.end(place, index, written);
    onToken?.();
  };
  // the first text of each chain, then the second: what is complete early has as many texts of each chain
  const places = Array.from({ length: texts * chains.length }, (_, i) => [
    i % chains.length,
    Math.floor(i / chains.length),
  ]);
  try {
    await allOf(
      places.map(([place, index]) => write(place!, index!)),
      (reason) => stop.abort(reason),
    );
  } finally {
    forget();
  }
  return comparison(texts);
}

/** Waits for all; after a failure it ends the others, and throws the first one. */
async function allOf(work: readonly Promise<void>[], end: (reason: unknown) => void): Promise<void> {
  let failed: { readonly reason: unknown } | undefined;
  const fail = (reason: unknown): void => {
    if (failed) return;
    failed = { reason };
    end(reason);
  };
  await Promise.all(work.map((one) => one.catch(fail)));
  if (failed) throw failed.reason;
}

interface Writing {
  readonly batch: GenerationBatch;
  readonly prompt: Int32Array;
  readonly maxTokens: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

async function writeText(
  { chain, uniforms }: ComparedChain,
  { batch, prompt, ...request }: Writing,
  onToken: (count: number) => void,
): Promise<WrittenText> {
  const generation = batch.add(prompt, { ...request, chain, uniforms, logprobs: 0 });
  const tokens: number[] = [];
  const entropies: number[] = [];
  const logprobs: number[] = [];
  let text = "";
  for await (const piece of generation) {
    tokens.push(piece.token);
    entropies.push(piece.entropy!);
    logprobs.push(piece.logprob!);
    text += piece.text;
    onToken(tokens.length);
  }
  return { seed: request.seed, text, tokens, entropies, logprobs, finish: generation.stats().finish! };
}

const textOf = (model: Model, tokens: Int32Array): string =>
  Array.from(tokens, (token) => model.textOf(token)).join("");

/** Throws `InputError` if texts would end where the context is full, which would be no property of a chain. */
function contextSizeOf(model: Model, prompt: number, tokens: number, given: number | undefined): number {
  const needed = prompt + tokens;
  const size = given ?? model.info.trainedContextSize;
  if (needed > size)
    throw new InputError(
      `the prompt has ${prompt} tokens and a text up to ${tokens}, and the context size is ${size}: shorten the prompt, or write fewer tokens`,
      { code: "CONTEXT_FULL" },
    );
  return given ?? needed;
}

/** Options of a model's context: memory and threads, under llama.cpp's names. */
import {
  CACHES,
  CACHE_TYPES,
  FLASH_ATTENTION,
  MAX_BATCH,
  MAX_CONTEXT,
  MAX_THREADS,
  type CacheKind,
  type CacheType,
  type FlashAttention,
} from "@ggsl/compiler/llama/contexts.js";
import * as is from "../core/check.js";
import { invalid } from "../core/errors.js";
import { nodeModule } from "../core/node.js";

/** Memory and threads of a context. Omitted settings have llama.cpp's defaults, except `threads`. */
export interface ContextSettings {
  /**
   * Tokens per sequence, prompt and text together, 1 to 2^24. The memory of a context is
   * that of the next multiple of 256.
   * @default the model's training context
   * @unit tokens
   */
  readonly contextSize?: number | undefined;
  /**
   * Type of the K cache. Quantized types need less memory and change the results slightly.
   * @default `f16`
   */
  readonly cacheTypeK?: CacheType | undefined;
  /**
   * Type of the V cache. Quantized types need flash attention, which `auto` then enables.
   * @default `f16`
   */
  readonly cacheTypeV?: CacheType | undefined;
  /**
   * Whether each sequence has a cache of its own (`auto`), so that its attention passes over no tokens of others, or all share
   * one (`shared`), where copies of a shared beginning take no time. With `auto` one is shared by recurrent models and those
   * with a sliding window, and from the first text with drafts or guides on.
   * @default `auto`
   */
  readonly cache?: CacheKind | undefined;
  /**
   * CPU threads, from 1 to twice the number of processors and at most 512. Threads wait for
   * each other by spinning, so more threads than idle processors are very slow.
   * @default half the number of processors
   */
  readonly threads?: number | undefined;
  /**
   * CPU threads for batches of more than one token, such as a prompt.
   * @default `threads`
   */
  readonly batchThreads?: number | undefined;
  /**
   * Tokens of prompts in one batch while other sequences write, 1 to 65536. Smaller pieces shorten the time that others
   * wait for their next tokens, and make prompts take longer. A prompt that nobody waits for is read in the largest pieces.
   * @default 128
   * @unit tokens
   */
  readonly promptBatch?: number | undefined;
  /**
   * Flash attention, which does not store the attention matrix: `auto` uses it if the device supports it.
   * @default `auto`
   */
  readonly flashAttention?: FlashAttention | undefined;
  /**
   * Whether the CPU computes the small ops of chains in bundles, each on one thread, so that threads do not wait for each other after
   * every one of them. It changes no result.
   * @default true
   */
  readonly bundles?: boolean | undefined;
}

/** The settings that were given. */
export type GivenSettings = { readonly [Name in keyof ContextSettings]?: Exclude<ContextSettings[Name], undefined> };

export const CONTEXT_SETTINGS: is.Checks<ContextSettings> = {
  contextSize: is.integer(1, MAX_CONTEXT),
  cacheTypeK: is.oneOf(...CACHE_TYPES),
  cacheTypeV: is.oneOf(...CACHE_TYPES),
  cache: is.oneOf(...CACHES),
  threads: is.integer(1, MAX_THREADS),
  batchThreads: is.integer(1, MAX_THREADS),
  promptBatch: is.integer(1, MAX_BATCH),
  flashAttention: is.oneOf(...FLASH_ATTENTION),
  bundles: is.flag,
};
const NAMES = Object.keys(CONTEXT_SETTINGS) as (keyof ContextSettings)[];
const checkSettings = is.someOptions(CONTEXT_SETTINGS);

/** Threads for each processor: with more, the first token takes minutes. */
const MOST_PER_PROCESSOR = 2;

function checkThreads(given: ContextSettings): void {
  const processors = nodeModule("node:os")?.availableParallelism();
  if (processors === undefined) return;
  const most = MOST_PER_PROCESSOR * processors;
  for (const name of ["threads", "batchThreads"] as const)
    if ((given[name] ?? 0) > most)
      throw invalid(
        `\`${name}\` must be at most ${most} on this machine, ${MOST_PER_PROCESSOR} for each of its ${processors} processors, found ${given[name]}: threads wait for each other by spinning, so that more are slower`,
      );
}

/**
 * The settings of both objects; `over` takes precedence. Throws `InputError` for a value that is not allowed and for settings
 * that contradict each other.
 */
export function contextSettings(over: ContextSettings, under: ContextSettings = {}): GivenSettings {
  checkSettings(over, "options");
  checkThreads(over);
  const merged: GivenSettings = Object.fromEntries(
    NAMES.map((name) => [name, over[name] ?? under[name]] as const).filter(([, value]) => value !== undefined),
  );
  const { cacheTypeV = "f16", flashAttention } = merged;
  if (flashAttention === "off" && !/^b?f/.test(cacheTypeV))
    throw invalid(
      `a V cache of type ${cacheTypeV} needs flash attention, which is off: set flash attention to auto or on, or the V cache to f16, bf16 or f32`,
    );
  return merged;
}

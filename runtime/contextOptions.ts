/** Options of a model's context: memory and threads, under llama.cpp's names. */
import {
  CACHE_TYPES,
  FLASH_ATTENTION,
  MAX_BATCH,
  MAX_CONTEXT,
  MAX_THREADS,
  type CacheType,
  type FlashAttention,
} from "@ggsl/compiler/llama/contexts.js";
import * as is from "./check.js";
import { InputError } from "./errors.js";

/** Memory and threads of a context. Omitted settings have llama.cpp's defaults, except `threads`. */
export interface ContextSettings {
  /** Tokens per sequence, prompt and text together, 1 to 2^24; default: the model's training context. */
  readonly contextSize?: number | undefined;
  /** Type of the K cache; default `f16`. Quantized types need less memory and change the results slightly. */
  readonly cacheTypeK?: CacheType | undefined;
  /** Type of the V cache; default `f16`. Quantized types need flash attention, which `auto` then enables. */
  readonly cacheTypeV?: CacheType | undefined;
  /** CPU threads, 1 to 512; default: half the number of processors. */
  readonly threads?: number | undefined;
  /** CPU threads for batches of more than one token, such as a prompt; default: `threads`. */
  readonly batchThreads?: number | undefined;
  /**
   * Tokens of prompts in one batch while other sequences write, 1 to 65536; default 128. Smaller pieces shorten the time that others
   * wait for their next tokens, and make prompts take longer. A prompt that nobody waits for is read in the largest pieces.
   */
  readonly promptBatch?: number | undefined;
  /** Flash attention, which does not store the attention matrix; default `auto`: if the device supports it. */
  readonly flashAttention?: FlashAttention | undefined;
}

/** The settings that were given. */
export type GivenSettings = { readonly [Name in keyof ContextSettings]?: Exclude<ContextSettings[Name], undefined> };

const SETTINGS: is.Checks<ContextSettings> = {
  contextSize: is.integer(1, MAX_CONTEXT),
  cacheTypeK: is.oneOf(...CACHE_TYPES),
  cacheTypeV: is.oneOf(...CACHE_TYPES),
  threads: is.integer(1, MAX_THREADS),
  batchThreads: is.integer(1, MAX_THREADS),
  promptBatch: is.integer(1, MAX_BATCH),
  flashAttention: is.oneOf(...FLASH_ATTENTION),
};
const NAMES = Object.keys(SETTINGS) as (keyof ContextSettings)[];
const checkSettings = is.options(SETTINGS);

/**
 * The settings of both objects; `over` takes precedence. Throws `InputError` for a value that is not allowed and for settings
 * that contradict each other.
 */
export function contextSettings(over: ContextSettings, under: ContextSettings = {}): GivenSettings {
  checkSettings(over, "options");
  const merged: GivenSettings = Object.fromEntries(
    NAMES.map((name) => [name, over[name] ?? under[name]] as const).filter(([, value]) => value !== undefined),
  );
  const { cacheTypeV = "f16", flashAttention } = merged;
  if (flashAttention === "off" && !/^b?f/.test(cacheTypeV))
    throw new InputError(
      `a V cache of type ${cacheTypeV} needs flash attention, which is off: set flash attention to auto or on, or the V cache to f16, bf16 or f32`,
    );
  return merged;
}

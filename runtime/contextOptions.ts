/** What a model's context is made with: memory and threads, under llama.cpp's names. */
import {
  CACHE_TYPES,
  FLASH_ATTENTION,
  MAX_CONTEXT,
  MAX_THREADS,
  type CacheType,
  type FlashAttention,
} from "@ggsl/compiler/llama/contexts.js";
import { InputError } from "./errors.js";

/** Memory and threads of a context. What is left out is llama.cpp's default, but for `threads`. */
export interface ContextSettings {
  /** Tokens of prompt and text together, of one sequence, 1 to 2^24; default: what the model was trained for. */
  readonly contextSize?: number | undefined;
  /** Type of the cache of keys; default `f16`. The quantized ones take less memory, and change the text a little. */
  readonly cacheTypeK?: CacheType | undefined;
  /** Type of the cache of values; default `f16`. The quantized ones need flash attention, which `auto` then switches on. */
  readonly cacheTypeV?: CacheType | undefined;
  /** CPU threads, 1 to 512; default: half as many as there are processors. */
  readonly threads?: number | undefined;
  /** CPU threads where more than one token is computed at once, as for a prompt; default: as many as `threads`. */
  readonly batchThreads?: number | undefined;
  /** Attention without the matrix of all weights in memory; default `auto`: where the device can. */
  readonly flashAttention?: FlashAttention | undefined;
}

/** Those that were given. */
export type GivenSettings = { readonly [Name in keyof ContextSettings]?: Exclude<ContextSettings[Name], undefined> };

const NAMES = ["contextSize", "cacheTypeK", "cacheTypeV", "threads", "batchThreads", "flashAttention"] as const;

/**
 * The settings alone, those of `over` before those of `under`. Throws `InputError`, naming what is allowed, also for a pair
 * that does not go together.
 */
export function contextSettings(over: ContextSettings, under: ContextSettings = {}): GivenSettings {
  const merged: GivenSettings = Object.fromEntries(
    NAMES.map((name) => [name, over[name] ?? under[name]] as const).filter(([, value]) => value !== undefined),
  );
  checkInteger("contextSize", merged.contextSize, MAX_CONTEXT);
  checkInteger("threads", merged.threads, MAX_THREADS);
  checkInteger("batchThreads", merged.batchThreads, MAX_THREADS);
  checkName("cacheTypeK", merged.cacheTypeK, CACHE_TYPES);
  checkName("cacheTypeV", merged.cacheTypeV, CACHE_TYPES);
  checkName("flashAttention", merged.flashAttention, FLASH_ATTENTION);
  const { cacheTypeV = "f16", flashAttention } = merged;
  if (flashAttention === "off" && !/^b?f/.test(cacheTypeV))
    throw new InputError(
      `a V cache of type ${cacheTypeV} needs flash attention, which is off: set flash attention to auto or on, or the V cache to f16, bf16 or f32`,
    );
  return merged;
}

function checkInteger(name: string, value: number | undefined, most: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= most)) return;
  throw new InputError(`\`${name}\` must be an integer from 1 to ${most}, found ${describe(value)}`);
}

function checkName(name: string, value: string | undefined, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value)) return;
  throw new InputError(`\`${name}\` must be one of ${allowed.join(", ")}, found ${describe(value)}`);
}

/** Values may come from a settings file, of any type. */
const describe = (value: unknown): string =>
  typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value).slice(0, 80);

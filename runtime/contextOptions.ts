/** Options of a model's context: memory and threads, under llama.cpp's names. */
import {
  CACHE_TYPES,
  FLASH_ATTENTION,
  MAX_CONTEXT,
  MAX_THREADS,
  type CacheType,
  type FlashAttention,
} from "@ggsl/compiler/llama/contexts.js";
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
  /** Flash attention, which does not store the attention matrix; default `auto`: if the device supports it. */
  readonly flashAttention?: FlashAttention | undefined;
}

/** The settings that were given. */
export type GivenSettings = { readonly [Name in keyof ContextSettings]?: Exclude<ContextSettings[Name], undefined> };

const NAMES = ["contextSize", "cacheTypeK", "cacheTypeV", "threads", "batchThreads", "flashAttention"] as const;

/**
 * The settings of both objects; `over` takes precedence. Throws `InputError` for a value that is not allowed and for settings
 * that contradict each other.
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

/** Where a model runs, and the settings of its contexts. */
import { InvalidArgumentError, Option, type Command } from "commander";
import {
  CACHE_TYPES,
  FLASH_ATTENTION,
  MAX_CONTEXT,
  MAX_LAYERS,
  MAX_THREADS,
  type CacheType,
  type FlashAttention,
} from "@ggsl/compiler/llama/contexts.js";
import { MODEL_BACKENDS, type LoadModelOptions, type ModelBackend } from "ggsl/model.js";
import { atMost, deviceOption, integer, strictOption } from "./usage.js";

export interface ModelFlags {
  readonly backend: ModelBackend;
  readonly device?: number | string;
  readonly strict?: true;
  readonly ctxSize?: number;
  readonly cacheTypeK?: CacheType;
  readonly cacheTypeV?: CacheType;
  readonly threads?: number;
  readonly threadsBatch?: number;
  readonly gpuLayers?: number | "all";
  readonly flashAttn?: FlashAttention;
}

export const addModelOptions = (command: Command): Command =>
  command
    .addOption(new Option("--backend <name>", "the backend to run on").choices(MODEL_BACKENDS).default("auto"))
    .addOption(deviceOption())
    .addOption(strictOption())
    .option(
      "-c, --ctx-size <n>",
      "tokens of prompt and generated text together (default: the context size of the model's training)",
      atMost(MAX_CONTEXT),
    )
    .addOption(new Option("--cache-type-k <type>", "type of the K cache (default: f16)").choices(CACHE_TYPES))
    .addOption(new Option("--cache-type-v <type>", "type of the V cache (default: f16)").choices(CACHE_TYPES))
    .option("-t, --threads <n>", "CPU threads (default: half the number of processors)", atMost(MAX_THREADS))
    .option("--threads-batch <n>", "CPU threads for the prompt (default: the same as --threads)", atMost(MAX_THREADS))
    .option("--gpu-layers <n>", 'layers on the GPU, or "all" (default: all)', layers)
    .addOption(new Option("--flash-attn <when>", "flash attention (default: auto)").choices(FLASH_ATTENTION));

/** All but the size of contexts, which depends on the command. */
export const settingsOf = ({ backend, device, gpuLayers, ...flags }: ModelFlags): LoadModelOptions => ({
  ...{ backend, device, gpuLayers, threads: flags.threads, batchThreads: flags.threadsBatch },
  ...{ cacheTypeK: flags.cacheTypeK, cacheTypeV: flags.cacheTypeV, flashAttention: flags.flashAttn },
});

/** An argument of `--gpu-layers`. */
function layers(text: string): number | "all" {
  if (text === "all") return text;
  const value = integer(text);
  if (value < 0 || value > MAX_LAYERS)
    throw new InvalidArgumentError(`Expected an integer from 0 to ${MAX_LAYERS}, or "all".`);
  return value;
}

/** Where a model runs, and the settings of its contexts. */
import { InvalidArgumentError, Option, type Command } from "commander";
import {
  CACHES,
  CACHE_TYPES,
  FLASH_ATTENTION,
  MAX_BATCH,
  MAX_CONTEXT,
  MAX_LAYERS,
  MAX_THREADS,
  type CacheKind,
  type CacheType,
  type FlashAttention,
} from "@ggsl/compiler/llama/contexts.js";
import type { DeviceChoice } from "ggsl/backends/devices/several.js";
import { MODEL_BACKENDS, type LoadModelOptions, type ModelBackend } from "ggsl/models/options.js";
import { atMost, devicesOption, strictOption, upTo } from "./usage.js";

export interface ModelFlags {
  readonly backend: ModelBackend;
  readonly device?: DeviceChoice;
  readonly rpc?: readonly string[];
  readonly split?: readonly number[];
  readonly strict?: true;
  readonly ctxSize?: number;
  readonly cacheTypeK?: CacheType;
  readonly cacheTypeV?: CacheType;
  readonly cache?: CacheKind;
  readonly threads?: number;
  readonly threadsBatch?: number;
  readonly gpuLayers?: number | "all";
  readonly flashAttn?: FlashAttention;
  readonly promptBatch?: number;
  readonly probe?: true;
}

export const addModelOptions = (command: Command): Command =>
  command
    .addOption(new Option("--backend <name>", "the backend to run on").choices(MODEL_BACKENDS).default("auto"))
    .addOption(devicesOption())
    .addOption(
      new Option(
        "--rpc <workers>",
        "machines that run `ggsl worker` and share the layers: HOST:PORT[=cpu|vulkan|cuda|other], separated by commas",
      ).argParser((text) => text.split(",")),
    )
    .option("--split <parts>", "the part of the layers of each of several devices or workers, as in 3,1", parts)
    .addOption(strictOption())
    .option(
      "-c, --ctx-size <n>",
      "tokens of prompt and generated text together (default: the context size of the model's training)",
      atMost(MAX_CONTEXT),
    )
    .addOption(new Option("--cache-type-k <type>", "type of the K cache (default: f16)").choices(CACHE_TYPES))
    .addOption(new Option("--cache-type-v <type>", "type of the V cache (default: f16)").choices(CACHE_TYPES))
    .addOption(
      new Option(
        "--cache <kind>",
        "a cache for each text, or one for all that run at the same time (default: auto)",
      ).choices(CACHES),
    )
    .option("-t, --threads <n>", "CPU threads (default: half the number of processors)", atMost(MAX_THREADS))
    .option("--threads-batch <n>", "CPU threads for the prompt (default: the same as --threads)", atMost(MAX_THREADS))
    .option("--gpu-layers <n>", 'layers on the GPU, or "all" (default: all)', layers)
    .addOption(new Option("--flash-attn <when>", "flash attention (default: auto)").choices(FLASH_ATTENTION))
    .option(
      "--prompt-batch <n>",
      "tokens of prompts that are computed at once while other texts are written (default: 128)",
      atMost(MAX_BATCH),
    )
    .option("--probe", "load the model in a child process first: for files from strangers");

/** All but the size of contexts, which depends on the command. */
export const settingsOf = ({ backend, device, rpc, split, gpuLayers, ...flags }: ModelFlags): LoadModelOptions => ({
  backend,
  device,
  servers: rpc,
  split,
  gpuLayers,
  threads: flags.threads,
  batchThreads: flags.threadsBatch,
  promptBatch: flags.promptBatch,
  probe: flags.probe,
  cacheTypeK: flags.cacheTypeK,
  cacheTypeV: flags.cacheTypeV,
  cache: flags.cache,
  flashAttention: flags.flashAttn,
});

/** An argument of `--split`. */
function parts(text: string): number[] {
  const values = text.split(",").map((part) => (/^\d{1,9}(\.\d{1,9})?$/.test(part) ? Number(part) : NaN));
  if (values.some(Number.isNaN)) throw new InvalidArgumentError("Expected numbers that are not negative, as in 3,1.");
  return values;
}

/** An argument of `--gpu-layers`. */
function layers(text: string): number | "all" {
  if (text === "all") return text;
  const value = upTo(MAX_LAYERS, text);
  if (value === undefined) throw new InvalidArgumentError(`Expected an integer from 0 to ${MAX_LAYERS}, or "all".`);
  return value;
}

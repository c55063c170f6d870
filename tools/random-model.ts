/**
 * `npm run random-model -- --out FILE`: a model with random weights around a real vocabulary, for measurements at its size. It
 * writes no sense, but it costs what a model of this shape costs.
 */
import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { drawF64, mt19937 } from "ggsl/mt19937.js";
import { count, readArguments } from "./lib/arguments.js";
import { fileParts, keyOf, readKeys } from "./lib/gguf.js";
import { root, ToolError } from "./lib/process.js";

const VOCABULARY = join(root, "build", "llama.cpp", "models", "ggml-vocab-llama-bpe.gguf");
const USAGE = `npm run random-model -- --out FILE [--vocabulary FILE] [--columns N] [--layers N] [--context N] [--seed N]`;

/** Columns of a head. */
const HEAD = 32;

export interface RandomModel {
  readonly vocabulary?: string;
  /** The width, a multiple of 32. */
  readonly columns?: number;
  readonly layers?: number;
  /** Tokens of context. */
  readonly context?: number;
  readonly seed?: number;
}

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments(USAGE, {
    args: [...args],
    options: {
      out: { type: "string" },
      vocabulary: { type: "string", default: VOCABULARY },
      columns: { type: "string", default: "128" },
      layers: { type: "string", default: "2" },
      context: { type: "string", default: "4096" },
      seed: { type: "string", default: "1" },
    },
  });
  const { out, vocabulary } = values;
  if (out === undefined) throw new ToolError(`--out is missing\nUsage: ${USAGE}`);
  const given = (name: "columns" | "layers" | "context" | "seed"): number => Number(count(name, values[name]));
  const shape = { columns: given("columns"), layers: given("layers"), context: given("context"), seed: given("seed") };
  writeRandomModel(out, { vocabulary, ...shape });
  console.log(`${out}: ${(statSync(out).size / 1e6).toFixed(0)} MB`);
  return Promise.resolve(0);
}

/** Writes a model of llama's architecture in f16. The same seed gives the same file. */
export function writeRandomModel(
  path: string,
  { vocabulary = VOCABULARY, columns = 128, layers = 2, context = 4096, seed = 1 }: RandomModel = {},
): void {
  if (columns % HEAD !== 0) throw new ToolError(`--columns must be a multiple of ${HEAD}, found ${columns}`);
  const known = readKeys(readFileSync(vocabulary)).filter(({ name }) => name.startsWith("tokenizer."));
  const size = known.find(({ name }) => name === "tokenizer.ggml.tokens")?.entries;
  if (size === undefined) throw new ToolError(`${vocabulary} has no vocabulary`);
  const hidden = 4 * columns;
  const heads = columns / HEAD;
  const keys = Object.entries({
    "general.architecture": "llama",
    "general.name": `random ${columns} x ${layers}`,
    "llama.vocab_size": size,
    "llama.context_length": context,
    "llama.embedding_length": columns,
    "llama.block_count": layers,
    "llama.feed_forward_length": hidden,
    "llama.attention.head_count": heads,
    "llama.attention.head_count_kv": heads,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.rope.dimension_count": HEAD,
  }).map(([name, value]) => keyOf(name, value));

  const random = mt19937(seed);
  const matrix = (name: string, from: number, to: number, deviation = 1 / Math.sqrt(from)) => ({
    ...{ name, shape: [from, to], isF16: true },
    values: () => numbers(from * to, normals(random, deviation), random),
  });
  const norm = (name: string) => ({
    ...{ name, shape: [columns], isF16: false },
    values: () => new Float32Array(columns).fill(1),
  });
  const block = (i: number) => [
    norm(`blk.${i}.attn_norm.weight`),
    ...["attn_q", "attn_k", "attn_v", "attn_output"].map((part) => matrix(`blk.${i}.${part}.weight`, columns, columns)),
    norm(`blk.${i}.ffn_norm.weight`),
    matrix(`blk.${i}.ffn_gate.weight`, columns, hidden),
    matrix(`blk.${i}.ffn_up.weight`, columns, hidden),
    matrix(`blk.${i}.ffn_down.weight`, hidden, columns),
  ];
  // logits with a standard deviation of 2, so that sampling has many tokens to choose from
  const output = matrix("output.weight", columns, size, 2 / Math.sqrt(columns));
  const tensors = [
    matrix("token_embd.weight", columns, size, 1),
    ...Array.from({ length: layers }, (_, i) => block(i)).flat(),
    norm("output_norm.weight"),
    output,
  ];
  const file = openSync(path, "w");
  try {
    for (const part of fileParts([...keys, ...known], tensors)) writeSync(file, part);
  } finally {
    closeSync(file);
  }
}

type Random = ReturnType<typeof mt19937>;

/** Samples of a normal distribution as bits of f16, to choose from: drawing each number would take a minute. */
function normals(random: Random, deviation: number): Uint16Array {
  return Uint16Array.from({ length: 1 << 16 }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - drawF64(random)));
    return f16(deviation * radius * Math.cos(2 * Math.PI * drawF64(random)));
  });
}

function numbers(size: number, from: Uint16Array, random: Random): Uint16Array {
  // a linear congruential generator (Numerical Recipes), for speed
  let state = Math.floor(drawF64(random) * 2 ** 32);
  return Uint16Array.from({ length: size }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return from[state >>> 16]!;
  });
}

/** The bits of the f16 nearest to zero from `x` on; below the smallest normal number it is 0. */
function f16(x: number): number {
  const sign = x < 0 ? 0x8000 : 0;
  const exponent = Math.floor(Math.log2(Math.abs(x)));
  if (!(exponent >= -14)) return sign;
  const fraction = Math.floor((Math.abs(x) / 2 ** exponent - 1) * 1024);
  return sign | ((Math.min(exponent, 15) + 15) << 10) | Math.min(fraction, 1023);
}

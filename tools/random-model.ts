/**
 * `npm run random-model -- --out FILE`: a model with random weights around a real vocabulary, for measurements at its size. It
 * writes no sense, but it costs what a model of this shape costs.
 */
import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { drawF64, mt19937 } from "ggsl/core/mt19937.js";
import { count, readArguments } from "./lib/arguments.js";
import { fileParts, keyOf, readKeys, type Tensor } from "./lib/gguf.js";
import { root, ToolError } from "./lib/process.js";

const VOCABULARY = join(root, "build", "llama.cpp", "models", "ggml-vocab-llama-bpe.gguf");
const USAGE = `npm run random-model -- --out FILE [--vocabulary FILE] [--columns N] [--layers N] [--context N] [--type f32|f16|q8_0] [--seed N]`;

/** Columns of a head. */
const HEAD = 32;

const WEIGHT_TYPES = ["f32", "f16", "q8_0"] as const;
type WeightType = (typeof WEIGHT_TYPES)[number];

export interface RandomModel {
  readonly vocabulary?: string;
  /** The width, a multiple of 32. */
  readonly columns?: number;
  readonly layers?: number;
  /** Tokens of context. */
  readonly context?: number;
  /** The type of the weights. */
  readonly type?: WeightType;
  readonly seed?: number;
  /** Default: an architecture of llama with heads of 32 columns. */
  readonly shape?: ModelShape;
}

/** A shape with fewer heads for keys than for queries, a norm for each head, and the same matrix at both ends, as Qwen3's. */
interface ModelShape {
  readonly hidden: number;
  readonly heads: number;
  readonly keyHeads: number;
  /** Columns of a head. */
  readonly headSize: number;
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
      type: { type: "string", default: "f16" },
      seed: { type: "string", default: "1" },
    },
  });
  const { out, vocabulary } = values;
  if (out === undefined) throw new ToolError(`--out is missing\nUsage: ${USAGE}`);
  const type = WEIGHT_TYPES.find((name) => name === values.type);
  if (type === undefined) throw new ToolError(`--type must be one of ${WEIGHT_TYPES.join(", ")}, found ${values.type}`);
  const given = (name: "columns" | "layers" | "context" | "seed"): number => Number(count(name, values[name]));
  const shape = { columns: given("columns"), layers: given("layers"), context: given("context"), seed: given("seed") };
  writeRandomModel(out, { vocabulary, type, ...shape });
  console.log(`${out}: ${(statSync(out).size / 1e6).toFixed(0)} MB`);
  return Promise.resolve(0);
}

/** Writes a model of llama's architecture. The same seed gives the same file. */
export function writeRandomModel(
  path: string,
  {
    vocabulary = VOCABULARY,
    columns = 128,
    layers = 2,
    context = 4096,
    type = "f16",
    seed = 1,
    shape,
  }: RandomModel = {},
): void {
  if (columns % HEAD !== 0) throw new ToolError(`--columns must be a multiple of ${HEAD}, found ${columns}`);
  const known = readKeys(readFileSync(vocabulary)).filter(({ name }) => name.startsWith("tokenizer."));
  const size = known.find(({ name }) => name === "tokenizer.ggml.tokens")?.entries;
  if (size === undefined) throw new ToolError(`${vocabulary} has no vocabulary`);
  const heads = columns / HEAD;
  const architecture = shape ? "qwen3" : "llama";
  const { hidden, ...head } = shape ?? { hidden: 4 * columns, heads, keyHeads: heads, headSize: HEAD };
  const ofShape = {
    vocab_size: size,
    context_length: context,
    embedding_length: columns,
    block_count: layers,
    feed_forward_length: hidden,
    "attention.head_count": head.heads,
    "attention.head_count_kv": head.keyHeads,
    ...(shape && { "attention.key_length": head.headSize, "attention.value_length": head.headSize }),
    "attention.layer_norm_rms_epsilon": 1e-5,
    "rope.dimension_count": head.headSize,
  };
  const keys = [
    keyOf("general.architecture", architecture),
    keyOf("general.name", `random ${columns} x ${layers}`),
    ...Object.entries(ofShape).map(([name, value]) => keyOf(`${architecture}.${name}`, value)),
  ];

  const random = mt19937(seed);
  const matrix = (name: string, from: number, to: number, deviation = 1 / Math.sqrt(from)): Tensor => ({
    name,
    shape: [from, to],
    type,
    values: () => WEIGHTS[type](from * to, deviation, random),
  });
  const norm = (name: string, count = columns): Tensor => ({
    name,
    shape: [count],
    type: "f32",
    values: () => new Float32Array(count).fill(1),
  });
  const [queries, values] = [head.heads * head.headSize, head.keyHeads * head.headSize];
  const block = (i: number) => [
    norm(`blk.${i}.attn_norm.weight`),
    ...(shape ? ["attn_q", "attn_k"].map((part) => norm(`blk.${i}.${part}_norm.weight`, head.headSize)) : []),
    matrix(`blk.${i}.attn_q.weight`, columns, queries),
    matrix(`blk.${i}.attn_k.weight`, columns, values),
    matrix(`blk.${i}.attn_v.weight`, columns, values),
    matrix(`blk.${i}.attn_output.weight`, queries, columns),
    norm(`blk.${i}.ffn_norm.weight`),
    matrix(`blk.${i}.ffn_gate.weight`, columns, hidden),
    matrix(`blk.${i}.ffn_up.weight`, columns, hidden),
    matrix(`blk.${i}.ffn_down.weight`, hidden, columns),
  ];
  // logits with a standard deviation of 2, so that sampling has many tokens to choose from
  const output = matrix("output.weight", columns, size, 2 / Math.sqrt(columns));
  const tensors = [
    matrix("token_embd.weight", columns, size, shape ? 2 / Math.sqrt(columns) : 1),
    ...Array.from({ length: layers }, (_, i) => block(i)).flat(),
    norm("output_norm.weight"),
    ...(shape ? [] : [output]),
  ];
  const file = openSync(path, "w");
  try {
    for (const part of fileParts([...keys, ...known], tensors)) writeSync(file, part);
  } finally {
    closeSync(file);
  }
}

type Random = ReturnType<typeof mt19937>;

const WEIGHTS: Readonly<Record<WeightType, (count: number, deviation: number, random: Random) => ArrayBufferView>> = {
  f32(count, deviation, random) {
    const from = Float32Array.from(normals(random), (x) => deviation * x);
    const next = picks(random);
    return Float32Array.from({ length: count }, () => from[next()]!);
  },
  f16(count, deviation, random) {
    const from = Uint16Array.from(normals(random), (x) => f16(deviation * x));
    const next = picks(random);
    return Uint16Array.from({ length: count }, () => from[next()]!);
  },
  q8_0(count, deviation, random) {
    const from = Int8Array.from(normals(random), (x) => Math.max(-127, Math.min(127, Math.round((127 * x) / WIDEST))));
    const next = picks(random);
    const bytes = new DataView(new ArrayBuffer((count / BLOCK_SIZE) * BLOCK));
    const scale = f16((deviation * WIDEST) / 127);
    for (let at = 0; at < bytes.byteLength; at += BLOCK) {
      bytes.setUint16(at, scale, true);
      for (let i = 2; i < BLOCK; i++) bytes.setInt8(at + i, from[next()]!);
    }
    return bytes;
  },
};

/** The bytes of a block of q8_0: a scale in f16, and numbers of 8 bits. */
const BLOCK = 34;
const BLOCK_SIZE = 32;
/** The largest number of a block, in standard deviations. */
const WIDEST = 4;

/** Samples of the normal distribution to choose from: drawing each number would take a minute. */
function normals(random: Random): Float64Array {
  return Float64Array.from({ length: 1 << 16 }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - drawF64(random)));
    return radius * Math.cos(2 * Math.PI * drawF64(random));
  });
}

/** Numbers below 2^16, by a linear congruential generator (Numerical Recipes), for speed. */
function picks(random: Random): () => number {
  let state = Math.floor(drawF64(random) * 2 ** 32);
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  };
}

/** The bits of the f16 nearest to zero from `x` on; below the smallest normal number it is 0. */
function f16(x: number): number {
  const sign = x < 0 ? 0x8000 : 0;
  const exponent = Math.floor(Math.log2(Math.abs(x)));
  if (!(exponent >= -14)) return sign;
  const fraction = Math.floor((Math.abs(x) / 2 ** exponent - 1) * 1024);
  return sign | ((Math.min(exponent, 15) + 15) << 10) | Math.min(fraction, 1023);
}

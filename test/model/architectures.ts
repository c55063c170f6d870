/**
 * Small models with random weights whose memory differs from the demo model's, around its vocabulary: a recurrent one (Mamba), and
 * one with sliding windows (Cohere2: three layers of four have a window).
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { drawF64, mt19937 } from "../../runtime/core/mt19937.js";
import { fileParts, keyOf, readKeys } from "../../tools/lib/gguf.js";
import { DEMO_MODEL } from "./file.js";

const COLUMNS = 64;
const HEAD = 16;
/** Tokens that a layer of the second model sees. */
export const WINDOW = 24;

interface Architecture {
  readonly keys: Readonly<Record<string, string | number>>;
  readonly layers: number;
  /** Names and shapes, the innermost dimension first, of a layer's tensors. */
  readonly layer: Readonly<Record<string, readonly number[]>>;
}

const [INNER, STATE, RANK, KERNEL] = [2 * COLUMNS, 8, 4, 4];

export const MAMBA: Architecture = {
  keys: {
    "general.architecture": "mamba",
    "mamba.context_length": 1024,
    "mamba.embedding_length": COLUMNS,
    "mamba.block_count": 2,
    "mamba.feed_forward_length": 0,
    "mamba.attention.head_count": 0,
    "mamba.attention.layer_norm_rms_epsilon": 1e-5,
    "mamba.ssm.conv_kernel": KERNEL,
    "mamba.ssm.inner_size": INNER,
    "mamba.ssm.state_size": STATE,
    "mamba.ssm.time_step_rank": RANK,
  },
  layers: 2,
  layer: {
    "attn_norm.weight": [COLUMNS],
    "ssm_in.weight": [COLUMNS, 2 * INNER],
    "ssm_conv1d.weight": [KERNEL, INNER],
    "ssm_conv1d.bias": [INNER],
    "ssm_x.weight": [INNER, RANK + 2 * STATE],
    "ssm_dt.weight": [RANK, INNER],
    "ssm_dt.bias": [INNER],
    ssm_a: [STATE, INNER],
    ssm_d: [INNER],
    "ssm_out.weight": [INNER, COLUMNS],
  },
};

export const WINDOWS: Architecture = {
  keys: {
    "general.architecture": "cohere2",
    "cohere2.context_length": 1024,
    "cohere2.embedding_length": COLUMNS,
    "cohere2.block_count": 4,
    "cohere2.feed_forward_length": COLUMNS,
    "cohere2.attention.head_count": COLUMNS / HEAD,
    "cohere2.attention.head_count_kv": COLUMNS / HEAD,
    "cohere2.attention.layer_norm_epsilon": 1e-5,
    "cohere2.attention.sliding_window": WINDOW,
    "cohere2.rope.dimension_count": HEAD,
    "cohere2.logit_scale": 0.5,
  },
  layers: 4,
  layer: {
    "attn_norm.weight": [COLUMNS],
    "attn_q.weight": [COLUMNS, COLUMNS],
    "attn_k.weight": [COLUMNS, COLUMNS],
    "attn_v.weight": [COLUMNS, COLUMNS],
    "attn_output.weight": [COLUMNS, COLUMNS],
    "ffn_gate.weight": [COLUMNS, COLUMNS],
    "ffn_down.weight": [COLUMNS, COLUMNS],
    "ffn_up.weight": [COLUMNS, COLUMNS],
  },
};

/** Writes the model in f32. */
export function writeModel(path: string, { keys, layers, layer }: Architecture): void {
  const known = readKeys(readFileSync(DEMO_MODEL)).filter(({ name }) => name.startsWith("tokenizer."));
  const size = known.find(({ name }) => name === "tokenizer.ggml.tokens")!.entries!;
  const random = mt19937(1);
  const tensor = (name: string, shape: readonly number[]) => ({
    name,
    shape,
    type: "f32" as const,
    values: () => numbers(name, shape, () => drawF64(random) - 0.5),
  });
  const layersOf = Array.from({ length: layers }, (_, i) =>
    Object.entries(layer).map(([name, shape]) => tensor(`blk.${i}.${name}`, shape)),
  );
  const tensors = [
    tensor("token_embd.weight", [COLUMNS, size]),
    ...layersOf.flat(),
    tensor("output_norm.weight", [COLUMNS]),
  ];
  const all = Object.entries(keys).map(([name, value]) => keyOf(name, value));
  const file = openSync(path, "w");
  for (const part of fileParts([...all, ...known], tensors)) writeSync(file, part);
  closeSync(file);
}

/** Norms are 1, and Mamba's decays are negative. */
function numbers(name: string, shape: readonly number[], draw: () => number): Float32Array {
  const values = new Float32Array(shape.reduce((a, b) => a * b));
  if (name.endsWith("norm.weight")) return values.fill(1);
  const scale = 3 / Math.sqrt(shape[0]!);
  return values.map(() => (name.endsWith("ssm_a") ? draw() - 0.6 : scale * draw()));
}

/** Columns of sequences as tensors of ONNX Runtime, and back. */
import { UNIFORMS, type EmittedInput, type Surface } from "@ggsl/compiler/emit/surface.js";
import type { Outputs } from "../reference/interpret.js";
import type { Vector } from "../reference/kernels.js";
import type { Given } from "../steps.js";
import type { Ort, OrtTensor } from "./ort.js";

/** Tensors by name. */
export type Feeds = Readonly<Record<string, OrtTensor>>;

/** What a session is given for some sequences. */
export function feedsOf(ort: Pick<Ort, "Tensor">, { inputs, fed }: Surface, given: readonly Given[]): Feeds {
  const features = inputs.map((input, i): [string, OrtTensor] => [
    input.name,
    tensorOf(
      ort,
      input,
      given.map(({ logits, inputs: others }) => (i === 0 ? logits : others[i - 1]!)),
    ),
  ]);
  const uniforms = given.map((one) => Float32Array.from(fed, (i) => one.uniforms[i]!));
  const rows = given.length;
  return {
    ...Object.fromEntries(features),
    ...(fed.length > 0 && {
      [UNIFORMS]: new ort.Tensor("float32", joined(uniforms) as Float32Array, [rows, fed.length]),
    }),
  };
}

/** A column that all sequences share is given once. */
function tensorOf(ort: Pick<Ort, "Tensor">, { isConstant }: EmittedInput, columns: readonly Vector[]): OrtTensor {
  const [first] = columns;
  const all = isConstant ? first! : joined(columns);
  const dims = [isConstant ? 1 : columns.length, first!.length];
  return all instanceof Float32Array ? new ort.Tensor("float32", all, dims) : new ort.Tensor("int32", all, dims);
}

/** One after the other; a single one is not copied. */
function joined(vectors: readonly Vector[]): Vector {
  const [first] = vectors;
  if (vectors.length === 1) return first!;
  const size = first!.length * vectors.length;
  const all = first instanceof Float32Array ? new Float32Array(size) : new Int32Array(size);
  vectors.forEach((vector, i) => all.set(vector, i * first!.length));
  return all;
}

/** The part of one sequence in the results. */
export function outputsOf({ outputs, scalars }: Surface, results: Feeds, row: number, rows: number): Outputs {
  const part = (name: string): Float32Array | BigInt64Array => {
    const data = results[name]!.data as Float32Array | BigInt64Array;
    const size = data.length / rows;
    return data.subarray(row * size, (row + 1) * size);
  };
  const names = new Set(outputs.map(({ name }) => name));
  const f32 = (name: string): Float32Array => part(name) as Float32Array;
  const tokens = (name: string): Int32Array => Int32Array.from(part(name) as BigInt64Array, Number);
  return {
    ...(names.has("sampled") && { sampled: tokens("sampled")[0]! }),
    ...(names.has("candidates") && { candidates: tokens("candidates") }),
    ...(names.has("row_logits") && { logits: f32("row_logits") }),
    ...(names.has("probs") && { probs: f32("probs") }),
    states: Float32Array.from(scalars, ({ name }) => f32(name)[0]!),
  };
}

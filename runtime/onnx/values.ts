/** Columns of sequences as tensors of ONNX Runtime, and back. */
import type { EmittedInput, Surface } from "@ggsl/compiler/emit/surface.js";
import type { Outputs } from "../backends/reference/interpret.js";
import type { Vector } from "../backends/reference/kernels.js";
import type { Given } from "../chain/openSteps.js";
import type { Ort, OrtTensor } from "./ort.js";

/** Tensors by name. */
export type Feeds = Readonly<Record<string, OrtTensor>>;

/** What a session is given for some sequences. */
export function feedsOf(ort: Pick<Ort, "Tensor">, surface: Surface, given: readonly Given[]): Feeds {
  const [logits] = surface.inputs;
  const columns = given.map((one) => one.logits);
  return { [logits!.name]: tensorOf(ort, logits!, columns), ...feedsBesideLogits(ort, surface, given) };
}

/** The uniforms and features. */
export function feedsBesideLogits<Tensor extends OrtTensor>(
  ort: Pick<Ort<Tensor>, "Tensor">,
  { inputs, uniformsName, fed }: Surface,
  given: readonly Omit<Given, "logits">[],
): Readonly<Record<string, Tensor>> {
  const features = inputs.slice(1).map((input, i): [string, Tensor] => {
    const columns = given.map(({ inputs: values }) => values[i]!);
    return [input.name, tensorOf(ort, input, columns)];
  });
  const uniforms = given.map((one) => Float32Array.from(fed, (i) => one.uniforms[i]!));
  return {
    ...Object.fromEntries(features),
    ...(fed.length > 0 && {
      [uniformsName]: new ort.Tensor("float32", joined(uniforms) as Float32Array, [given.length, fed.length]),
    }),
  };
}

/** A column that all sequences share is given once. */
function tensorOf<Tensor extends OrtTensor>(
  ort: Pick<Ort<Tensor>, "Tensor">,
  { isConstant }: EmittedInput,
  columns: readonly Vector[],
): Tensor {
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

/** The names of a graph's outputs. */
export const outputNames = ({ outputs, scalars }: Surface): string[] =>
  [...outputs, ...scalars].map(({ name }) => name);

/** The part of one sequence in the results. */
export function outputsOf({ outputs, scalars }: Surface, results: Feeds, row: number, rows: number): Outputs {
  const part = (name: string): Float32Array | BigInt64Array => {
    const data = results[name]!.data as Float32Array | BigInt64Array;
    const size = data.length / rows;
    return data.subarray(row * size, (row + 1) * size);
  };
  const f32 = (name: string): Float32Array => part(name) as Float32Array;
  const tokens = (name: string): Int32Array => Int32Array.from(part(name) as BigInt64Array, Number);
  const names = Object.fromEntries(outputs.map(({ kind, name }) => [kind, name]));
  return {
    ...(names.sampled !== undefined && { sampled: tokens(names.sampled)[0]! }),
    ...(names.candidates !== undefined && { candidates: tokens(names.candidates) }),
    ...(names.logits !== undefined && { logits: f32(names.logits) }),
    ...(names.probs !== undefined && { probs: f32(names.probs) }),
    states: Float32Array.from(scalars, ({ name }) => f32(name)[0]!),
  };
}

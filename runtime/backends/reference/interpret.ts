/** The reference interpreter: the oracle for the other backends, available everywhere. */
import type { Graph, NodeId } from "@ggsl/compiler/graph/graph.js";
import { scalarsOf } from "@ggsl/compiler/graph/liveness.js";
import { bindDim, WORD_BITS } from "@ggsl/compiler/graph/wire.js";
import { KERNELS, type Kernel, type Vector } from "./kernels.js";

/** The outputs of a graph for one sequence. */
export interface Outputs {
  readonly sampled?: number;
  readonly candidates?: Int32Array;
  readonly logits?: Float32Array;
  readonly probs?: Float32Array;
  /** The next values of the states, the measures, the stops. */
  readonly states: Float32Array;
}

/**
 * Runs a verified graph once.
 * @param inputs a vector for each of the graph's inputs, the logits first; their length is the vocabulary size; the words of one of bits
 * @param uniforms one f32 for each of the graph's uniforms
 * @param kernelOf the kernel of an op
 */
export function interpret(
  graph: Graph,
  inputs: readonly Vector[],
  uniforms: Float32Array,
  kernelOf?: KernelOf,
): Outputs {
  const values = valuesOf(graph, inputs, uniforms, kernelOf);
  const { sampled, candidates, logits, probs } = graph.outputs;
  const f32 = (id: NodeId): Float32Array => values[id] as Float32Array;
  return {
    ...(sampled !== undefined && { sampled: values[sampled]![0]! }),
    ...(candidates !== undefined && { candidates: values[candidates] as Int32Array }),
    ...(logits !== undefined && { logits: f32(logits) }),
    ...(probs !== undefined && { probs: f32(probs) }),
    states: Float32Array.from(scalarsOf(graph), (id) => f32(id)[0]!),
  };
}

type KernelOf = (op: keyof typeof KERNELS) => Kernel;

/** The values of all nodes; for the parameters see `interpret`. */
export function valuesOf(
  graph: Graph,
  inputs: readonly Vector[],
  uniforms: Float32Array,
  kernelOf: KernelOf = (op) => KERNELS[op],
): Vector[] {
  const vocabSize = inputs[0]!.length;
  const values: Vector[] = [];
  for (const [id, { op, attrs }] of graph.nodes.entries()) {
    const index = attrs["index"] as number;
    if (op === "input") values.push(isPacked(graph, index) ? bitsIn(inputs[index]!, vocabSize) : inputs[index]!);
    else if (op === "uniform") values.push(uniforms.subarray(index, index + 1));
    else values.push(computed(graph, id, values, vocabSize, kernelOf));
  }
  return values;
}

/** The value of a node that is neither an input nor a uniform, from those of its operands. */
export function computed(
  { nodes }: Graph,
  id: NodeId,
  values: readonly Vector[],
  vocabSize: number,
  kernelOf: KernelOf = (op) => KERNELS[op],
): Vector {
  const { op, inputs, attrs, dim } = nodes[id]!;
  return kernelOf(op as keyof typeof KERNELS)(
    inputs.map((from) => values[from]!),
    attrs,
    bindDim(dim, vocabSize),
  );
}

const isPacked = ({ inputs }: Graph, index: number): boolean => inputs[index]!.source.kind === "bits";

/** The bits of words as numbers. */
const bitsIn = (words: Vector, count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => (words[Math.floor(i / WORD_BITS)]! >> (i % WORD_BITS)) & 1);

/**
 * The wire form: a verified graph as 32-bit words for the C++ builder.
 *
 *     magic version uniformCount inputCount stateCount tapCount nodeCount sampled candidates logits probs
 *     inputCount x (dtype, dim, 0; 1 for a guide; 2 for a constant; 3 for bits)
 *     stateCount x (node of the next value of a state, of the value for a window, of a measure, of a stop)
 *     tapCount   x (node)
 *     nodeCount  x (op, dtype, dim, operandCount, operands..., attributes...)
 *
 * Absent outputs are -1, dtypes f32 = 0 and i32 = 1, floats their bits. An op's number is its index in the op table, and
 * all its attributes are present, in the table's order. The dim `V` is -1: llama.cpp builds the same graph for several
 * vocabulary sizes, so the C++ side binds dims like `bindDim`. Taps are nodes whose values are read in addition to the
 * outputs, to continue the chain elsewhere. A constant input has a column that is given with the graph, and stays on the device.
 */
import { isGuide } from "./feeds.js";
import type { Dim, Dtype, Graph, GraphNode, Input, NodeId } from "./graph.js";
import { scalarsOf } from "./liveness.js";
import { isConstantInput } from "./sets.js";
import { attrValue, OP_NAMES, opRule } from "./ops.js";

export const WIRE_MAGIC = 0x4c534747;
export const WIRE_VERSION = 6;

const DTYPES: readonly Dtype[] = ["f32", "i32"];

/** Binds a dim: a table never has more rows than the vocabulary has tokens. */
export const bindDim = (dim: Dim, vocabSize: number): number => (dim === "V" ? vocabSize : Math.min(dim, vocabSize));

/** The bits of a packed input that travel in one i32. */
export const WORD_BITS = 16;

/** How many numbers the host writes for an input. */
export const fedSize = ({ source, dim }: Pick<Input, "source" | "dim">, vocabSize: number): number =>
  source.kind === "bits" ? Math.ceil(vocabSize / WORD_BITS) : bindDim(dim, vocabSize);

export function encodeWire(graph: Graph, taps: readonly NodeId[] = []): Int32Array {
  const { sampled, candidates, logits, probs } = graph.outputs;
  const scalars = scalarsOf(graph);
  const words: number[] = [WIRE_MAGIC, WIRE_VERSION];
  words.push(graph.uniforms.length, graph.inputs.length, scalars.length, taps.length, graph.nodes.length);
  for (const output of [sampled, candidates, logits, probs]) words.push(output ?? -1);
  for (const input of graph.inputs) words.push(DTYPES.indexOf(input.dtype), dimWord(input.dim), roleOf(graph, input));
  for (const one of scalars) words.push(one);
  for (const one of taps) words.push(one);
  for (const node of graph.nodes) {
    words.push(OP_NAMES.indexOf(node.op), DTYPES.indexOf(node.dtype), dimWord(node.dim));
    words.push(node.inputs.length);
    for (const word of [...node.inputs, ...attrWords(node)]) words.push(word);
  }
  return Int32Array.from(words);
}

/** What the builder does with an input. */
function roleOf(graph: Graph, input: Input): number {
  if (isGuide(graph, input)) return 1;
  if (isConstantInput(input, graph)) return 2;
  return input.source.kind === "bits" ? 3 : 0;
}

const dimWord = (dim: Dim): number => (dim === "V" ? -1 : dim);

function attrWords(node: GraphNode): number[] {
  return opRule(node.op).attrs.map((rule) => {
    const { kind, choices } = rule;
    const value = attrValue(node.attrs, rule);
    if (kind === "choice") return choices!.indexOf(value as string);
    if (kind === "count") return dimWord(value as Dim);
    return kind === "integer" ? (value as number) : floatBits(value as number);
  });
}

const scratch = new DataView(new ArrayBuffer(4));

function floatBits(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getInt32(0);
}

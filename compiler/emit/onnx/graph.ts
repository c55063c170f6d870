/** A graph as an ONNX graph, alone or as a part of a model. */
import type { Graph } from "../../graph/graph.js";
import { WORD_BITS } from "../../graph/wire.js";
import type { EmittedInput } from "../surface.js";
import type { Builder, Value } from "./builder.js";
import { EMITTERS } from "./ops.js";
import type { OnnxGraph, ValueInfo } from "./protobuf.js";

/** The builder may have nodes before, which make inputs of the graph. */
export function emitGraph(graph: Graph, b: Builder): OnnxGraph {
  const values = emitNodes(graph, b);
  const outputs = emitOutputs(b, values);
  const { nodes, constants } = b;
  // ONNX Runtime warns of others
  const used = new Set(nodes.flatMap(({ inputs }) => inputs));
  return { nodes, constants: constants.filter(({ name }) => used.has(name)), inputs: inputsOf(b), outputs };
}

function emitNodes(graph: Graph, b: Builder): Value[] {
  const values: Value[] = [];
  for (const { op, inputs, attrs, dim } of graph.nodes) {
    const operands = inputs.map((id) => values[id]!);
    const emitted = EMITTERS[op](b, { operands, attrs, dim });
    const isBatched = operands.some((operand) => operand.isBatched);
    values.push({ op, dim, ...(typeof emitted === "string" ? { name: emitted, isBatched } : emitted) });
  }
  return values;
}

/** Names the results, each with a row for each sequence. */
function emitOutputs(b: Builder, values: readonly Value[]): ValueInfo[] {
  return [...b.surface.outputs, ...b.surface.scalars].map(({ name, node, dtype, dim }) => {
    b.nodes.push({ op: "Identity", inputs: [b.batched(values[node]!)], outputs: [name], attrs: {} });
    return { name, type: dtype === "f32" ? "f32" : "i64", dims: [b.batchDim, b.declared(dim)] };
  });
}

/** The logits first, then the uniforms. */
function inputsOf(b: Builder): ValueInfo[] {
  const { inputs, uniformsName, fed } = b.surface;
  const infos = inputs.map((input): ValueInfo => ({
    name: input.name,
    type: input.dtype,
    dims: [input.isConstant ? 1 : b.batchDim, sizeOf(b, input)],
  }));
  const uniforms: ValueInfo = { name: uniformsName, type: "f32", dims: [b.batchDim, fed.length] };
  return fed.length === 0 ? infos : [infos[0]!, uniforms, ...infos.slice(1)];
}

function sizeOf(b: Builder, { dim, isPacked }: EmittedInput): number | string {
  if (!isPacked) return b.declared(dim);
  const rows = b.knownRows(dim);
  return rows === undefined ? "words" : Math.ceil(rows / WORD_BITS);
}

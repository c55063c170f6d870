/** A graph as an ONNX model. */
import type { Graph } from "../../graph/graph.js";
import { WORD_BITS } from "../../graph/wire.js";
import { refuseTail } from "../emitError.js";
import { interfaceData, surfaceOf, UNIFORMS, type EmittedInput } from "../surface.js";
import { Builder, type Value } from "./builder.js";
import { knownOptions, type OnnxOptions } from "./options.js";
import { EMITTERS } from "./ops.js";
import { modelBytes, type OnnxGraph, type ValueInfo } from "./protobuf.js";

/** The key of the model's metadata with what the host must know, as JSON. */
export const METADATA = "ggsl.spec";

/**
 * The bytes of an ONNX model that runs a verified graph. Inputs: `logits` f32[B, V]; `uniforms` f32[B, U]; one for each input of a
 * feature. Outputs: `sampled` int64[B, 1], the rows if the graph gives them, `next_state_<i>` and `measure_<i>` f32[B, 1].
 * Throws `EmitError` for a host tail, `OptionError` for options out of range.
 */
export function emitOnnx(graph: Graph, options: OnnxOptions = {}): Uint8Array {
  refuseTail(graph, "ONNX");
  const known = knownOptions(options);
  const surface = surfaceOf(graph, known.vocab);
  const b = new Builder(surface, known);
  const values = emitNodes(graph, b);
  const outputs = emitOutputs(b, values);
  return modelBytes({
    graph: { ...graphOf(graph, b), inputs: inputsOf(b), outputs },
    opset: known.opset,
    metadata: { [METADATA]: JSON.stringify(interfaceData(graph, surface)) },
  });
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
    return { name, type: dtype === "f32" ? "f32" : "i64", dims: ["B", b.declared(dim)] };
  });
}

const graphOf = ({ name }: Graph, { nodes, constants }: Builder): Omit<OnnxGraph, "inputs" | "outputs"> => ({
  name,
  nodes,
  constants,
});

function inputsOf(b: Builder): ValueInfo[] {
  const { inputs, fed } = b.surface;
  const infos = inputs.map((input): ValueInfo => ({
    name: input.name,
    type: input.dtype,
    dims: [input.isConstant ? 1 : "B", sizeOf(b, input)],
  }));
  const uniforms: ValueInfo = { name: UNIFORMS, type: "f32", dims: ["B", fed.length] };
  return fed.length === 0 ? infos : [infos[0]!, uniforms, ...infos.slice(1)];
}

function sizeOf(b: Builder, { dim, isPacked }: EmittedInput): number | string {
  if (!isPacked) return b.declared(dim);
  const rows = b.knownRows(dim);
  return rows === undefined ? "words" : Math.ceil(rows / WORD_BITS);
}

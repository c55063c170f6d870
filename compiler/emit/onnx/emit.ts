/** A graph as an ONNX model. */
import type { Graph } from "../../graph/graph.js";
import { refuseTail } from "../emitError.js";
import { interfaceData, surfaceOf, type Surface } from "../surface.js";
import { Builder } from "./builder.js";
import { emitGraph } from "./graph.js";
import { knownOptions, type OnnxOptions } from "./options.js";
import { modelBytes } from "./protobuf.js";

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
  return modelBytes({
    name: graph.name,
    graph: emitGraph(graph, new Builder(surface, known)),
    opset: known.opset,
    metadata: metadataOf(graph, surface),
  });
}

export const metadataOf = (graph: Graph, surface: Surface): Readonly<Record<string, string>> => ({
  [METADATA]: JSON.stringify(interfaceData(graph, surface)),
});

/** The explanation of a chain on a device, with what is counted in ggml's own graph. */
import { costOf } from "@ggsl/compiler/graph/cost.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { interfaceOf } from "@ggsl/compiler/graph/interface.js";
import { chooseDeviceSync } from "./devices/choose.js";
import type { DeviceBackend } from "./devices/locate.js";
import { placeGraph, type PlacedGraph } from "./devices/place.js";
import { explainGraph, placedStages, type Explanation } from "./explanation.js";
import { hasNative, loadBinding } from "./native/loader.js";

export interface ExplainOptions {
  /** Where it would run; default `cpu`. */
  readonly backend?: DeviceBackend;
  readonly device?: number | string | undefined;
  readonly strict?: boolean | undefined;
}

/** Throws `InputError` for a device that does not exist and, if `strict`, for a chain that the device cannot run as a whole. */
export function explain(graph: Graph, vocabSize: number, options: ExplainOptions = {}): Explanation {
  if ((options.backend ?? "cpu") !== "cpu" || options.device !== undefined) loadBinding();
  if (!hasNative("nodes are counted in the spec, not in ggml's graph")) return explainGraph(graph, vocabSize);
  const { backend = "cpu", strict } = options;
  const { device } = chooseDeviceSync({ backend, device: options.device });
  using placed = placeGraph(graph, vocabSize, { device, inModel: backend !== "cpu", strict });
  const { split } = placed;
  const cost = costOf(graph, vocabSize);
  return {
    ...countInGgml(placed, vocabSize, device),
    readbackBytes: split ? split.bytes : cost.readbackBytes,
    cost,
    stages: placedStages(graph, backend === "cpu" ? "cpu" : device, split),
    interface: interfaceOf(graph),
    ...(split && { split }),
  };
}

type Counts = Pick<Explanation, "nodes" | "nodesWithoutViews" | "isMeasured" | "rewrites">;

function countInGgml({ words }: PlacedGraph, vocabSize: number, device: string): Counts {
  const binding = loadBinding();
  const native = new binding.Evaluator(new binding.Graph(words), { vocabSize, device, fuse: false });
  const { nodes, nodesWithoutViews, rewritten } = native;
  native.dispose();
  const rewrites = binding.rewrites().flatMap(({ name, reason }) => {
    const count = rewritten.filter((r) => r.name === name).length;
    return count === 0 ? [] : [{ name, nodes: count, reason }];
  });
  return { nodes, nodesWithoutViews, isMeasured: true, rewrites };
}

/** The cost of a chain: its stages, nodes and readback bytes. */
import { costOf, type Cost } from "@ggsl/compiler/graph/cost.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { interfaceOf, type InterfacePart } from "@ggsl/compiler/graph/interface.js";
import { launches, opRule } from "@ggsl/compiler/graph/ops.js";
import { stagesOf, type StageSummary } from "@ggsl/compiler/graph/stages.js";
import { chooseDeviceSync } from "./devices/choose.js";
import type { DeviceBackend } from "./devices/locate.js";
import { placeGraph, type PlacedGraph, type Split } from "./devices/place.js";
import { InputError } from "./errors.js";
import { isNativeThere, loadBinding } from "./native/loader.js";

export interface StageExplanation extends Omit<StageSummary, "isHost"> {
  readonly device: string;
}

export interface Explanation {
  /** Nodes of ggml's graph, including views and reshapes. */
  readonly nodes: number;
  readonly nodesWithoutViews: number;
  /** False if they are counted in the spec, because the native runtime is not available. */
  readonly isMeasured: boolean;
  /** Bytes read back to the host per token. */
  readonly readbackBytes: number;
  /** What a token of a sequence costs, estimated from the graph alone; limits refer to it. */
  readonly cost: Cost;
  readonly stages: readonly StageExplanation[];
  /** What it takes from the calling program and reports to it: uniforms, sets of tokens, inputs, guides, states and measures. */
  readonly interface: readonly InterfacePart[];
  /** Why the chain does not run on the device as a whole; absent if it does. */
  readonly split?: Split;
  /** Rewrites on this device: the name, the number of nodes, and the reason. */
  readonly rewrites: readonly { readonly name: string; readonly nodes: number; readonly reason: string }[];
}

export interface ExplainOptions {
  /** Where it would run; default `cpu`. */
  readonly backend?: DeviceBackend;
  readonly device?: number | string | undefined;
  readonly strict?: boolean | undefined;
}

/** Throws `InputError` for a device that does not exist and, if `strict`, for a chain that the device cannot run as a whole. */
export function explain(graph: Graph, vocabSize: number, options: ExplainOptions = {}): Explanation {
  const cost = costOf(graph, vocabSize);
  if (!isNativeThere()) {
    if ((options.backend ?? "cpu") !== "cpu" || options.device !== undefined)
      throw new InputError("devices need the native runtime, which is not built: run npm run setup");
    return {
      ...countInSpec(graph),
      readbackBytes: cost.readbackBytes,
      cost,
      stages: placedStages(graph, "cpu"),
      interface: interfaceOf(graph),
    };
  }
  const { backend = "cpu", strict } = options;
  const { device } = chooseDeviceSync({ backend, device: options.device });
  using placed = placeGraph(graph, vocabSize, { device, inModel: backend !== "cpu", strict });
  const { split } = placed;
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

function countInSpec(graph: Graph): Counts {
  const nodes = graph.nodes.filter(({ op }) => opRule(op).kind !== "leaf").length;
  return { nodes, nodesWithoutViews: graph.nodes.filter(launches).length, isMeasured: false, rewrites: [] };
}

function countInGgml({ words }: PlacedGraph, vocabSize: number, device: string): Counts {
  const binding = loadBinding();
  const native = new binding.Evaluator(new binding.Graph(words), { vocabSize, device });
  const { nodes, nodesWithoutViews, rewritten } = native;
  native.dispose();
  const rewrites = binding.rewrites().flatMap(({ name, reason }) => {
    const count = rewritten.filter((r) => r.name === name).length;
    return count === 0 ? [] : [{ name, nodes: count, reason }];
  });
  return { nodes, nodesWithoutViews, isMeasured: true, rewrites };
}

const placedStages = (graph: Graph, device: string, split?: Split): StageExplanation[] =>
  stagesOf(graph).map(({ name, isHost, nodes, ops, rows }, i) => ({
    ...{ name, device: isHost ? "host" : split && i >= split.index ? "cpu" : device },
    ...{ nodes, ops, rows },
  }));

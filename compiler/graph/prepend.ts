/** A graph in front of another one: its logits become those that the other one reads. */
import type { Graph, GraphNode, NodeId, Origin } from "./graph.js";
import { setsOf } from "./sets.js";

/**
 * `front` gives logits of the whole vocabulary, and has parameters, uniforms, sets and columns, but neither draws nor states. All
 * of these follow those of `graph`, whose own therefore keep their numbers.
 */
export function prepend(front: Graph, graph: Graph): Graph {
  const stages = front.stages.length;
  const inputs = front.inputs.slice(1);
  const features = front.features.map((feature) => ({
    ...feature,
    from:
      feature.from.kind === "set" ? { ...feature.from, set: feature.from.set + setsOf(graph).length } : feature.from,
  }));
  const indexed = (node: GraphNode): GraphNode => {
    const index = node.attrs["index"] as number;
    const shift =
      node.op === "uniform" ? graph.uniforms.length : node.op === "input" && index > 0 ? graph.inputs.length - 1 : 0;
    return shift === 0 ? node : { ...node, attrs: { ...node.attrs, index: index + shift } };
  };
  const nodes: GraphNode[] = front.nodes.map(indexed);
  const places: NodeId[] = [];
  const placed = (id: NodeId): NodeId => places[id]!;
  const later = (origin: Origin): Origin => ({ ...origin, stage: origin.stage + stages });
  for (const node of graph.nodes) {
    const isLogits = node.op === "input" && node.attrs["index"] === 0;
    places.push(isLogits ? front.outputs.logits! : nodes.length);
    if (isLogits) continue;
    nodes.push({ ...node, inputs: node.inputs.map(placed), ...(node.origin && { origin: later(node.origin) }) });
  }
  const { sampled, candidates, logits, probs } = graph.outputs;
  return {
    ...graph,
    nodes,
    params: [...graph.params, ...front.params],
    states: graph.states.map((state) => ({ ...state, next: placed(state.next) })),
    ...(graph.windows && { windows: graph.windows.map((window) => ({ ...window, next: placed(window.next) })) }),
    measures: graph.measures.map((measure) => ({ ...measure, node: placed(measure.node) })),
    ...(graph.stops && { stops: graph.stops.map((stop) => ({ ...stop, node: placed(stop.node) })) }),
    uniforms: [...graph.uniforms, ...front.uniforms],
    inputs: [
      ...graph.inputs,
      ...inputs.map((input) => ({
        ...input,
        source:
          input.source.kind === "logits"
            ? input.source
            : { ...input.source, feature: input.source.feature + graph.features.length },
      })),
    ],
    features: [...graph.features, ...features],
    sets: [...setsOf(graph), ...setsOf(front)],
    stages: [...front.stages, ...graph.stages],
    outputs: {
      ...(sampled !== undefined && { sampled: placed(sampled) }),
      ...(candidates !== undefined && { candidates: placed(candidates) }),
      ...(logits !== undefined && { logits: placed(logits) }),
      ...(probs !== undefined && { probs: placed(probs) }),
    },
  };
}

/**
 * Dead code: removes nodes that no output depends on, uniforms that no node reads, and states and draws that nothing depends on.
 *
 *     %0 = soft_max(logits)      %0 = argmax(logits)
 *     %1 = argmax(logits)    ->  return sampled=%0
 *     return sampled=%1
 */
import type { Graph, GraphNode, UniformExpr, NodeId } from "../graph/graph.js";
import { mapOutputs, type Draft } from "./draft.js";
import type { Pass } from "./pass.js";

/** What an output depends on. */
interface Live {
  readonly nodes: Set<NodeId>;
  readonly uniforms: Set<number>;
  readonly draws: Set<number>;
  readonly states: Set<number>;
  readonly inputs: Set<number>;
}

export const removeDead: Pass = {
  name: "remove-dead",
  doc: "dead code elimination",
  example: "top_k(1) |> dist(42)",
  run: keepLive,
};

function keepLive({ graph, ranges, meter, states: wanted = new Set() }: Draft): Draft {
  const live = findLive(graph, wanted);
  const nodes = numbering(live.nodes);
  const uniforms = numbering(live.uniforms);
  const draws = numbering(live.draws);
  const states = numbering(live.states);
  const inputs = numbering(live.inputs);
  const renamed = (expr: UniformExpr): UniformExpr => renumberUniform(expr, draws, states);
  const outputs = mapOutputs(graph, (id) => nodes.get(id)!).outputs;
  const features = numbering(new Set([...live.inputs].flatMap((i) => featureOf(graph, i) ?? [])));
  const kept: Graph = {
    ...graph,
    nodes: pick(graph.nodes, nodes).map((node): GraphNode => {
      const index = node.attrs["index"] as number;
      const numbers = node.op === "uniform" ? uniforms : node.op === "input" ? inputs : undefined;
      const attrs = numbers ? { ...node.attrs, index: numbers.get(index)! } : node.attrs;
      return { ...node, attrs, inputs: node.inputs.map((i) => nodes.get(i)!) };
    }),
    outputs,
    uniforms: pick(graph.uniforms, uniforms).map((u) => ({ ...u, expr: renamed(u.expr) })),
    draws: pick(graph.draws, draws).map((d) => (d.at === undefined ? d : { ...d, at: renamed(d.at) })),
    states: pick(graph.states, states).map((s) => ({ ...s, init: renamed(s.init), next: nodes.get(s.next)! })),
    inputs: pick(graph.inputs, inputs).map((input) => {
      const { source } = input;
      return source.kind === "logits"
        ? input
        : { ...input, source: { ...source, feature: features.get(source.feature)! } };
    }),
    features: pick(graph.features, features),
  };
  return { graph: kept, ranges: pick(ranges, nodes), meter };
}

function findLive(graph: Graph, wanted: ReadonlySet<number>): Live {
  const live: Live = {
    nodes: new Set(),
    uniforms: new Set(),
    draws: new Set(),
    states: new Set(),
    inputs: new Set([0]),
  };
  /** Live nodes whose operands are not marked yet. A graph can be deep, so that nodes are not visited by recursion. */
  const open: NodeId[] = [];
  const markNode = (id: NodeId): void => {
    if (live.nodes.has(id)) return;
    live.nodes.add(id);
    open.push(id);
  };
  const markUniform = (expr: UniformExpr): void => {
    if (Array.isArray(expr)) (expr.slice(1) as UniformExpr[]).forEach(markUniform);
    else if (typeof expr === "object" && "draw" in expr) markDraw(expr.draw);
    else if (typeof expr === "object" && "state" in expr) markState(expr.state);
  };
  const markDraw = (draw: number): void => {
    if (live.draws.has(draw)) return;
    live.draws.add(draw);
    markUniform(graph.draws[draw]!.at ?? 0);
  };
  const markState = (state: number): void => {
    if (live.states.has(state)) return;
    live.states.add(state);
    markUniform(graph.states[state]!.init);
    markNode(graph.states[state]!.next);
  };
  /** Both inputs of a sparse feature stay together. */
  const markInput = (index: number): void => {
    const feature = featureOf(graph, index);
    graph.inputs.forEach(
      (_, i) => (i === index || (feature !== undefined && featureOf(graph, i) === feature)) && live.inputs.add(i),
    );
  };
  markNode(0);
  Object.values(graph.outputs).forEach(markNode);
  // which states a sequence has does not depend on the outputs that are asked for
  wanted.forEach(markState);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const { op, attrs, inputs } = graph.nodes[id]!;
    const index = attrs["index"] as number;
    if (op === "uniform" && !live.uniforms.has(index)) {
      live.uniforms.add(index);
      markUniform(graph.uniforms[index]!.expr);
    }
    if (op === "input" && !live.inputs.has(index)) markInput(index);
    inputs.forEach(markNode);
  }
  return live;
}

function featureOf(graph: Graph, input: number): number | undefined {
  const { source } = graph.inputs[input]!;
  return source.kind === "logits" ? undefined : source.feature;
}

/** New numbers of the kept items, in the old order. */
const numbering = (kept: ReadonlySet<number>): Map<number, number> =>
  new Map([...kept].sort((a, b) => a - b).map((old, i) => [old, i]));

const pick = <T>(all: readonly T[], numbers: ReadonlyMap<number, number>): T[] =>
  [...numbers.keys()].map((old) => all[old]!);

function renumberUniform(
  expr: UniformExpr,
  draws: ReadonlyMap<number, number>,
  states: ReadonlyMap<number, number>,
): UniformExpr {
  if (typeof expr !== "object") return expr;
  if ("param" in expr) return expr;
  if ("draw" in expr) return { draw: draws.get(expr.draw)! };
  if ("state" in expr) return { state: states.get(expr.state)! };
  const [op, ...operands] = expr;
  return [op, ...operands.map((e) => renumberUniform(e, draws, states))];
}

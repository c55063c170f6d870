/** Liveness of nodes. */
import { exprOfFeature } from "./features.js";
import type { Feature, Graph, Measure, NodeId, Outputs, State, Stop, UniformExpr, Window } from "./graph.js";
import { setOf, setsOf } from "./sets.js";
import { leavesOf } from "./uniform.js";

type Reported = Pick<Graph, "measures" | "stops">;

/** What is read with each token and changes nothing: the measures, then the stops. */
export const reportedOf = ({ measures, stops = [] }: Reported): NodeId[] =>
  [...measures, ...stops].map(({ node }) => node);

type Kept = Pick<Graph, "states" | "windows">;

/** What a sequence keeps of each token: the next values of the states, then the values for the windows. */
export const keptOf = ({ states, windows = [] }: Kept): NodeId[] => [...states, ...windows].map(({ next }) => next);

/** How many numbers a sequence keeps of each token. */
export const keptCount = ({ states, windows = [] }: Kept): number => states.length + windows.length;

/** The scalars that are read back with each token: those that are kept, the measures, the stops. */
export const scalarsOf = (graph: Kept & Reported): NodeId[] => [...keptOf(graph), ...reportedOf(graph)];

/** The nodes read from outside: the outputs and the scalars. */
export const resultsOf = (graph: Pick<Graph, "outputs"> & Kept & Reported): NodeId[] => [
  ...(Object.values(graph.outputs) as NodeId[]),
  ...scalarsOf(graph),
];

/** What is read from a graph, with renumbered nodes. */
export function mapResults(
  graph: Graph,
  map: (id: NodeId) => NodeId,
): { outputs: Outputs; states: State[]; windows?: Window[]; measures: Measure[]; stops?: Stop[] } {
  const outputs = Object.fromEntries(
    Object.entries(graph.outputs).map(([name, id]) => [name, map(id as NodeId)]),
  ) as Outputs;
  return {
    outputs,
    states: graph.states.map((s) => ({ ...s, next: map(s.next) })),
    ...(graph.windows && { windows: graph.windows.map((w) => ({ ...w, next: map(w.next) })) }),
    measures: graph.measures.map((m) => ({ ...m, node: map(m.node) })),
    ...(graph.stops && { stops: graph.stops.map((s) => ({ ...s, node: map(s.node) })) }),
  };
}

/** The nodes that a result depends on, including the results. */
export function liveNodes(graph: Pick<Graph, "nodes" | "outputs"> & Kept & Reported): ReadonlySet<NodeId> {
  const live = new Set(resultsOf(graph));
  for (let id = graph.nodes.length - 1; id >= 0; id--) {
    if (live.has(id)) for (const operand of graph.nodes[id]!.inputs) live.add(operand);
  }
  return live;
}

/** The parts of a graph that something depends on, by number. */
interface LiveParts {
  readonly nodes: Set<NodeId>;
  readonly uniforms: Set<number>;
  readonly draws: Set<number>;
  readonly states: Set<number>;
  readonly windows: Set<number>;
  readonly inputs: Set<number>;
  readonly sets: Set<number>;
}

/** States and windows, by number. */
export interface KeptParts {
  readonly states: ReadonlySet<number>;
  readonly windows: ReadonlySet<number>;
}

/** All that the nodes `roots` and what is `kept` depend on. */
export function liveParts(graph: Graph, roots: Iterable<NodeId>, kept?: Partial<KeptParts>): LiveParts {
  const live: LiveParts = {
    nodes: new Set(),
    uniforms: new Set(),
    draws: new Set(),
    states: new Set(),
    windows: new Set(),
    inputs: new Set([0]),
    // a parameter stays, whether something reads it or not
    sets: new Set(setsOf(graph).flatMap(({ name }, i) => (name === undefined ? [] : [i]))),
  };
  /** Live nodes whose operands are not marked yet. A graph can be deep, so that nodes are not visited by recursion. */
  const open: NodeId[] = [];
  const markNode = (id: NodeId): void => {
    if (live.nodes.has(id)) return;
    live.nodes.add(id);
    open.push(id);
  };
  const markUniform = (expr: UniformExpr): void => {
    for (const leaf of leavesOf(expr)) {
      if (typeof leaf !== "object") continue;
      if ("member" in leaf) live.sets.add(leaf.of);
      else if ("draw" in leaf) markDraw(leaf.draw);
      else if ("state" in leaf) markState(leaf.state);
      else if ("window" in leaf) markWindow(leaf.window);
    }
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
  const markWindow = (window: number): void => {
    if (live.windows.has(window)) return;
    live.windows.add(window);
    markNode(graph.windows![window]!.next);
  };
  /** Both inputs of a sparse feature stay together. */
  const markInput = (index: number): void => {
    const feature = featureOf(graph, index);
    const expr = feature === undefined ? undefined : exprOfFeature(graph.features[feature]!);
    if (expr !== undefined) markUniform(expr);
    const set = feature === undefined ? undefined : setOf(graph.features[feature]!);
    if (set !== undefined) live.sets.add(set);
    graph.inputs.forEach(
      (_, i) => (i === index || (feature !== undefined && featureOf(graph, i) === feature)) && live.inputs.add(i),
    );
  };
  // a grammar is followed even if its answer can change nothing, so that a token that it does not allow is counted
  for (const feature of graph.features) if (isFollowed(feature)) markUniform(exprOfFeature(feature) ?? 0);
  for (const { when } of graph.writes ?? []) markUniform(when);
  for (const id of roots) markNode(id);
  for (const state of kept?.states ?? []) markState(state);
  for (const window of kept?.windows ?? []) markWindow(window);
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

/** Whether a sequence follows the grammar of a feature, whatever reads its column. */
export const isFollowed = ({ from }: Feature): boolean => from.kind === "allowed" && from.when !== 0;

/** The feature of an input; the logits have none. */
export function featureOf(graph: Graph, input: number): number | undefined {
  const { source } = graph.inputs[input]!;
  return source.kind === "logits" ? undefined : source.feature;
}

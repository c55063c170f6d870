/**
 * Dead code: removes nodes that no output depends on, uniforms that no node reads, and states that nothing depends on. What a caller
 * gives is a fact of the source, as the parameters are: draws, biases, inputs and guides stay, whether something reads them or not.
 *
 *     %0 = soft_max(logits)      %0 = argmax(logits)
 *     %1 = argmax(logits)    ->  return sampled=%0
 *     return sampled=%1
 */
import { givenTo, renumberedSource } from "../graph/features.js";
import type { Feature, Graph, GraphNode, NodeId, UniformExpr } from "../graph/graph.js";
import type { UniformOp } from "../graph/uniformOps.js";
import { featureOf, isFollowed, liveParts, mapResults, reportedOf } from "../graph/liveness.js";
import { inputName } from "../graph/sets.js";
import type { Draft } from "./draft.js";
import type { Pass } from "./pass.js";

export const removeDead: Pass = {
  name: "remove-dead",
  doc: "dead code elimination",
  example: "top_k(1) |> dist(42)",
  run: keepLive,
};

function keepLive({ graph, ranges, meter, kept: wanted }: Draft): Draft {
  const roots = [0, ...(Object.values(graph.outputs) as NodeId[]), ...reportedOf(graph)];
  const read = liveParts(graph, roots, wanted);
  const unread = unreadInputs(graph, read.inputs);
  const live = unread.length > 0 ? liveParts(graph, [...roots, ...unread], wanted) : read;
  const nodes = numbering(live.nodes);
  const uniforms = numbering(live.uniforms);
  const draws = numbering(new Set(graph.draws.keys()));
  const states = numbering(live.states);
  const windows = numbering(live.windows);
  const inputs = numbering(live.inputs);
  const sets = numbering(live.sets);
  const renamed = (expr: UniformExpr): UniformExpr => renumberUniform(expr, { draws, states, windows, sets });
  const { outputs, measures, stops } = mapResults(graph, (id) => nodes.get(id)!);
  const followed = graph.features.flatMap((feature, i) => (isFollowed(feature) ? [i] : []));
  const features = numbering(new Set([...followed, ...[...live.inputs].flatMap((i) => featureOf(graph, i) ?? [])]));
  const keptFeatures = pick(graph.features, features).map((feature) => ({
    ...feature,
    from: renumberedSource(feature.from, { expr: renamed, set: (set) => sets.get(set)! }),
  }));
  const kept: Graph = {
    ...graph,
    nodes: pick(graph.nodes, nodes).map((node): GraphNode => {
      const index = node.attrs["index"] as number;
      const numbers = node.op === "uniform" ? uniforms : node.op === "input" ? inputs : undefined;
      const attrs = numbers ? { ...node.attrs, index: numbers.get(index)! } : node.attrs;
      return { ...node, attrs, inputs: node.inputs.map((i) => nodes.get(i)!) };
    }),
    outputs,
    measures,
    ...(stops && { stops }),
    ...(graph.writes && { writes: graph.writes.map((write) => ({ ...write, when: renamed(write.when) })) }),
    uniforms: pick(graph.uniforms, uniforms).map((u) => ({ ...u, expr: renamed(u.expr) })),
    draws: graph.draws.map(({ at, ...draw }, i) =>
      at === undefined || !live.draws.has(i) ? draw : { ...draw, at: renamed(at) },
    ),
    states: pick(graph.states, states).map((s) => ({ ...s, init: renamed(s.init), next: nodes.get(s.next)! })),
    ...(graph.windows && {
      windows: pick(graph.windows, windows).map((w) => ({ ...w, next: nodes.get(w.next)! })),
    }),
    inputs: pick(graph.inputs, inputs).map((input) => {
      const { source } = input;
      if (source.kind === "logits") return input;
      const feature = features.get(source.feature)!;
      return { ...input, name: inputName(keptFeatures[feature]!, source.kind), source: { ...source, feature } };
    }),
    features: keptFeatures,
    ...(graph.sets && { sets: pick(graph.sets, sets) }),
  };
  return { graph: kept, ranges: pick(ranges, nodes), meter };
}

/** The nodes of the features that a caller gives and that none of the inputs `read` carries; of several with one name, of the first. */
function unreadInputs(graph: Graph, read: ReadonlySet<number>): NodeId[] {
  const found = new Map<string, number>();
  for (const input of [...read, ...graph.inputs.keys()]) {
    const feature = featureOf(graph, input);
    const given = feature === undefined ? undefined : givenBy(graph.features[feature]!);
    if (given !== undefined && !found.has(given)) found.set(given, feature!);
  }
  const kept = new Set(found.values());
  return graph.nodes.flatMap(({ op, attrs }, id) => {
    const input = attrs["index"] as number;
    return op === "input" && !read.has(input) && kept.has(featureOf(graph, input)!) ? [id] : [];
  });
}

/** What a caller gives a feature by. */
function givenBy(feature: Feature): string | undefined {
  const given = givenTo(feature);
  return given && (given.kind === "bias" ? "bias" : `input ${given.name}`);
}

/** New numbers of the kept items, in the old order. */
const numbering = (kept: ReadonlySet<number>): Map<number, number> =>
  new Map([...kept].sort((a, b) => a - b).map((old, i) => [old, i]));

const pick = <T>(all: readonly T[], numbers: ReadonlyMap<number, number>): T[] =>
  [...numbers.keys()].map((old) => all[old]!);

type Numbers = Readonly<Record<"draws" | "states" | "windows" | "sets", ReadonlyMap<number, number>>>;

function renumberUniform(expr: UniformExpr, numbers: Numbers): UniformExpr {
  const { draws, states, windows, sets } = numbers;
  if (Array.isArray(expr)) {
    const [op, ...operands] = expr as readonly [UniformOp, ...UniformExpr[]];
    return [op, ...operands.map((e) => renumberUniform(e, numbers))];
  }
  if (typeof expr !== "object") return expr;
  if ("draw" in expr) return { draw: draws.get(expr.draw)! };
  if ("window" in expr) return { ...expr, window: windows.get(expr.window)! };
  if ("state" in expr) return { state: states.get(expr.state)! };
  if ("member" in expr) return { member: renumberUniform(expr.member, numbers), of: sets.get(expr.of)! };
  return expr;
}

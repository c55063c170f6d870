/** A graph as boxes in layers: a node stands below all of its operands. */
import type { Graph, GraphNode, NodeId } from "../../compiler/graph/graph.js";
import { resultsOf } from "../../compiler/graph/liveness.js";
import { launches, opRule } from "../../compiler/graph/ops.js";
import { hostText } from "../../compiler/graph/text.js";
import type { DrawnNode, Drawing } from "./messages.js";

/** Places in a layer are settled by going over the layers this often. */
const ROUNDS = 4;

export function draw(graph: Graph): Drawing {
  const ids = [...graph.nodes.keys()].filter((id) => graph.nodes[id]!.op !== "uniform");
  const layers = layersOf(graph, ids);
  const places = placesOf(graph, ids, layers);
  const index = new Map(ids.map((id, i) => [id, i]));
  const outputs = new Set(resultsOf(graph));
  const nodes = ids.map((id): DrawnNode => {
    const node = graph.nodes[id]!;
    return {
      ...textsOf(graph, node),
      stage: node.origin?.stage ?? -1,
      layer: layers.get(id)!,
      place: places.get(id)!,
      inputs: node.inputs.flatMap((from) => index.get(from) ?? []),
      isOutput: outputs.has(id),
    };
  });
  return {
    nodes,
    stages: graph.stages.map(({ name }, i) => ({
      name,
      nodes: graph.nodes.filter((n) => n.origin?.stage === i && launches(n)).length,
    })),
    layers: Math.max(0, ...layers.values()) + 1,
    width: Math.max(0, ...places.values()) + 1,
  };
}

function layersOf(graph: Graph, ids: readonly NodeId[]): Map<NodeId, number> {
  const layers = new Map<NodeId, number>();
  for (const id of ids) {
    const above = graph.nodes[id]!.inputs.flatMap((from) => layers.get(from) ?? []);
    layers.set(id, Math.max(-1, ...above) + 1);
  }
  return layers;
}

/** Nodes of a layer stand in the order of the mean place of their operands. */
function placesOf(graph: Graph, ids: readonly NodeId[], layers: Map<NodeId, number>): Map<NodeId, number> {
  const byLayer: NodeId[][] = [];
  for (const id of ids) (byLayer[layers.get(id)!] ??= []).push(id);
  const places = new Map<NodeId, number>();
  for (const members of byLayer) members.forEach((id, i) => places.set(id, i));
  for (let round = 0; round < ROUNDS; round++)
    for (const members of byLayer) {
      const wanted = new Map(members.map((id) => [id, meanPlace(graph.nodes[id]!, places, places.get(id)!)]));
      members.sort((a, b) => wanted.get(a)! - wanted.get(b)!).forEach((id, i) => places.set(id, i));
    }
  return places;
}

function meanPlace({ inputs }: GraphNode, places: ReadonlyMap<NodeId, number>, otherwise: number): number {
  const known = inputs.flatMap((id) => places.get(id) ?? []);
  return known.length === 0 ? otherwise : known.reduce((a, b) => a + b, 0) / known.length;
}

/** Uniforms are named in the nodes that read them. */
function textsOf(graph: Graph, { op, inputs, attrs, dtype, dim }: GraphNode): Pick<DrawnNode, "label" | "detail"> {
  const type = `${dtype}[${dim}]`;
  if (op === "input") return { label: graph.inputs[attrs["index"] as number]!.name, detail: type };
  const given = opRule(op).attrs.filter(({ name }) => attrs[name] !== undefined);
  const read = inputs.map((id) => graph.nodes[id]!).filter((n) => n.op === "uniform");
  const uniforms = read.map((n) => hostText(graph.uniforms[n.attrs["index"] as number]!.expr));
  return { label: op, detail: [type, ...given.map(({ name }) => `${name}=${attrs[name]}`), ...uniforms].join(" ") };
}

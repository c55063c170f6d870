/** A drawing in layers: a box is below all of its operands. */
import { drawingOf, type Drawing } from "@ggsl/compiler/graph/drawing.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { stagesOf } from "@ggsl/compiler/graph/stages.js";
import type { DrawnNode, LayeredDrawing } from "./messages.js";

/** The number of passes over the layers that order their boxes. */
const ROUNDS = 4;

/** Operands of a box, by its index. */
type Operands = ReadonlyMap<number, readonly number[]>;

/** Inputs and operations are drawn. Uniforms are named in the boxes that read them, outputs are marked. */
export function draw(graph: Graph): LayeredDrawing {
  const drawing = drawingOf(graph);
  const { boxes, edges } = drawing;
  const ids = [...boxes.keys()].filter((id) => boxes[id]!.kind === "input" || boxes[id]!.kind === "op");
  const operands = new Map(ids.map((id) => [id, edges.flatMap(([from, to]) => (to === id ? [from] : []))]));
  const layers = layersOf(operands);
  const places = placesOf(operands, layers);
  const index = new Map(ids.map((id, i) => [id, i]));
  const outputs = new Set(edges.flatMap(([from, to]) => (index.has(to) ? [] : [from])));
  const nodes = ids.map((id): DrawnNode => ({
    ...textsOf(drawing, id, operands.get(id)!),
    stage: boxes[id]!.group ?? -1,
    layer: layers.get(id)!,
    place: places.get(id)!,
    inputs: operands.get(id)!.flatMap((from) => index.get(from) ?? []),
    isOutput: outputs.has(id),
  }));
  return {
    nodes,
    stages: stagesOf(graph).map(({ name, nodes: count }) => ({ name, nodes: count })),
    layers: Math.max(0, ...layers.values()) + 1,
    width: Math.max(0, ...places.values()) + 1,
  };
}

function layersOf(operands: Operands): Map<number, number> {
  const layers = new Map<number, number>();
  for (const [id, inputs] of operands) {
    const above = inputs.flatMap((from) => layers.get(from) ?? []);
    layers.set(id, Math.max(-1, ...above) + 1);
  }
  return layers;
}

/** Orders the boxes of a layer by the mean position of their operands. */
function placesOf(operands: Operands, layers: ReadonlyMap<number, number>): Map<number, number> {
  const byLayer: number[][] = [];
  for (const id of operands.keys()) (byLayer[layers.get(id)!] ??= []).push(id);
  const places = new Map<number, number>();
  for (const members of byLayer) members.forEach((id, i) => places.set(id, i));
  for (let round = 0; round < ROUNDS; round++)
    for (const members of byLayer) {
      const wanted = new Map(members.map((id) => [id, meanPlace(operands.get(id)!, places, places.get(id)!)]));
      members.sort((a, b) => wanted.get(a)! - wanted.get(b)!).forEach((id, i) => places.set(id, i));
    }
  return places;
}

function meanPlace(inputs: readonly number[], places: ReadonlyMap<number, number>, otherwise: number): number {
  const known = inputs.flatMap((id) => places.get(id) ?? []);
  return known.length === 0 ? otherwise : known.reduce((a, b) => a + b, 0) / known.length;
}

function textsOf({ boxes }: Drawing, id: number, operands: readonly number[]): Pick<DrawnNode, "label" | "detail"> {
  const { label, type, attrs } = boxes[id]!;
  const uniforms = operands.flatMap((from) => boxes[from]!.formula ?? []);
  return { label, detail: [type, ...attrs.map(([name, value]) => `${name}=${value}`), ...uniforms].join(" ") };
}

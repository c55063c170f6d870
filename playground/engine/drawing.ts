/** The drawing of a graph with its layout: boxes of inputs, operations and results, and the lines between them. */
import { layOut } from "../../cli/html/layout.js";
import { drawingOf, type Box, type Drawing } from "@ggsl/compiler/graph/drawing.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { stagesOf } from "@ggsl/compiler/graph/stages.js";
import type { DrawnNode, PageDrawing } from "./messages.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

const HEIGHT = 36;
/** The width of a character in pixels, of the label and of the detail below it. */
const CHARACTERS = [7.4, 6.7] as const;
/** The maximum length of a line. */
const LONGEST = 26;

/** Uniforms are named in the boxes that read them, so that a number used everywhere does not tie the drawing together. */
export function draw(graph: Graph): PageDrawing {
  const drawing = drawingOf(graph);
  const { boxes } = drawing;
  const ids = [...boxes.keys()].filter((id) => boxes[id]!.kind !== "uniform");
  const texts = new Map(ids.map((id) => [id, textsOf(drawing, id)]));
  const widthOf = (id: number): number => {
    const { lines } = texts.get(id)!;
    return 18 + greatest(lines.map((line, i) => line.length * CHARACTERS[i]!));
  };
  const sizes = ids.map((id) => ({ id: `${id}`, width: widthOf(id), height: HEIGHT }));
  const edges = drawing.edges.filter(([from]) => boxes[from]!.kind !== "uniform");
  const layout = layOut(
    sizes,
    edges.map(([from, to]) => [`${from}`, `${to}`]),
  );
  const nodes = sizes.map(({ id, width, height }): DrawnNode => {
    const { x, y } = layout.placeOf(id);
    const { kind, group = -1 } = boxes[Number(id)]!;
    return {
      x: x - width / 2,
      y: y - height / 2,
      width,
      height,
      ...texts.get(Number(id))!,
      stage: kind === "op" ? group : -1,
      isResult: kind !== "op" && kind !== "input",
    };
  });
  return {
    width: layout.width,
    height: layout.height,
    nodes,
    edges: layout.lines,
    stages: stagesOf(graph).map(({ name, nodes: count }) => ({ name, nodes: count })),
  };
}

/** What a box is, if it is no operation. */
const KINDS: Readonly<Partial<Record<Box["kind"], string>>> = {
  output: "output",
  state: "next state",
  measure: "measure",
  stop: "stop",
};

function textsOf({ boxes, edges }: Drawing, id: number): Pick<DrawnNode, "lines" | "title"> {
  const { kind, label, type, attrs } = boxes[id]!;
  const uniforms = edges.flatMap(([from, to]) => (to === id ? (boxes[from]!.formula ?? []) : []));
  const detail = [KINDS[kind] ?? type, ...attrs.map(([name, value]) => `${name}=${value}`), ...uniforms].join(" ");
  return { lines: [cut(label), cut(detail)], title: `${label} ${detail}` };
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

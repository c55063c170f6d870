/** A graph as an SVG drawing, its nodes coloured by stage. */
import type { Graph, GraphNode, NodeId } from "@ggsl/compiler/graph/graph.js";
import { opRule } from "@ggsl/compiler/graph/ops.js";
import { hostText, numberText } from "@ggsl/compiler/graph/text.js";
import { html, type Markup } from "./escape.js";
import { layOut, type Point } from "./layout.js";

/** Nodes that are drawn at most; the layout of more takes seconds, and nobody can read it. */
export const MAX_DRAWN = 400;
/** Colours that there are; stages beyond take them again, and every node has its stage's number, too. */
export const COLORS = 10;

const HEIGHT = 40;
/** Of the font, in pixels. */
const CHARACTER = 7.3;
const LONGEST = 26;

interface Box {
  readonly id: string;
  readonly lines: readonly string[];
  readonly stage: number | undefined;
  readonly isLeaf: boolean;
  readonly title: string;
}

export function draw(graph: Graph, label: string): Markup {
  const boxes = [...graph.nodes.map((node, id) => boxOf(graph, node, id)), ...outputsOf(graph).map(outputBox)];
  if (boxes.length > MAX_DRAWN)
    return html`<p>
      This graph has ${boxes.length} nodes; drawings are made of up to ${MAX_DRAWN}. Its text is above.
    </p>`;
  const edges: [string, string][] = [
    ...graph.nodes.flatMap(({ inputs }, id) => inputs.map((from): [string, string] => [`${from}`, `${id}`])),
    ...outputsOf(graph).map(([name, id]): [string, string] => [`${id}`, name]),
  ];
  const sizes = boxes.map(({ id, lines }) => ({ id, width: widthOf(lines), height: HEIGHT }));
  const { width, height, placeOf, lines } = layOut(sizes, edges);
  const arrows = lines.map(line);
  const nodes = boxes.map((box) => drawBox(box, placeOf(box.id)));
  return html`<svg
    viewBox="0 0 ${round(width)} ${round(height)}"
    width="${round(width)}"
    height="${round(height)}"
    role="img"
    aria-label="${label}"
  >
    <defs>
      <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0 0L8 4L0 8z" />
      </marker>
    </defs>
    ${arrows}${nodes}
  </svg>`;
}

const outputsOf = ({ outputs, states }: Graph): (readonly [string, NodeId])[] => [
  ...Object.entries(outputs).map(([name, id]) => [`out ${name}`, id as NodeId] as const),
  ...states.map(({ name, next }, i) => [`state ${i} ${name}`, next] as const),
];

const outputBox = ([id]: readonly [string, NodeId]): Box => ({
  ...{ id, lines: [short(id.replace(/^out |^state \d+ /, "")), id.startsWith("out") ? "output" : "next state"] },
  ...{ stage: undefined, isLeaf: true, title: id },
});

function boxOf(graph: Graph, node: GraphNode, id: NodeId): Box {
  const { op, dtype, dim, attrs, origin } = node;
  const index = attrs["index"] as number;
  const type = `${dtype}[${dim}]`;
  const stage = origin?.stage;
  const common = { id: `${id}`, stage, isLeaf: opRule(op).kind === "leaf" };
  if (op === "uniform") {
    const formula = hostText(graph.uniforms[index]!.expr);
    return {
      ...common,
      stage: undefined,
      lines: [`u${index}`, short(formula)],
      title: `uniform u${index} = ${formula}`,
    };
  }
  if (op === "input") {
    const { name } = graph.inputs[index]!;
    return { ...common, stage: undefined, lines: [short(name), type], title: `input ${name}: ${type}` };
  }
  const details = Object.entries(attrs).map(([name, v]) => `${name}=${typeof v === "number" ? numberText(v) : v}`);
  const where = stage === undefined ? "" : `, stage ${stage + 1}: ${graph.stages[stage]?.name ?? ""}`;
  const lines = [stage === undefined ? op : `${op} \u00b7${stage + 1}`, short([...details, type].join(" "))];
  return { ...common, lines, title: `${[op, ...details].join(" ")}: ${type}${where}` };
}

const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}\u2026` : text);
const widthOf = (lines: readonly string[]): number => 18 + CHARACTER * Math.max(...lines.map(({ length }) => length));
const round = (x: number): string => x.toFixed(1).replace(/\.0$/, "");

const line = (points: readonly Point[]): Markup =>
  html`<path
    class="edge"
    marker-end="url(#arrow)"
    d="${points.map(({ x, y }, i) => `${i ? "L" : "M"}${round(x)} ${round(y)}`).join("")}"
  />`;

function drawBox({ lines, stage, isLeaf, title }: Box, { x, y }: Point): Markup {
  const width = widthOf(lines);
  const color = stage === undefined ? "none" : `c${stage % COLORS}`;
  const [left, top] = [x - width / 2, y - HEIGHT / 2];
  return html`<g class="node ${color}"
    ><title>${title}</title
    ><rect
      x="${round(left)}"
      y="${round(top)}"
      width="${round(width)}"
      height="${HEIGHT}"
      rx="${isLeaf ? HEIGHT / 2 : 4}"
    /><text x="${round(x)}" y="${round(y - 4)}">${lines[0]!}</text
    ><text class="detail" x="${round(x)}" y="${round(y + 12)}">${lines[1]!}</text></g
  >`;
}

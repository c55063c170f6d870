/** A graph as an SVG drawing, its nodes coloured by stage. */
import { drawingOf, MAX_DRAWN, type Box, type Drawing } from "@ggsl/compiler/graph/drawing.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { numberText } from "@ggsl/compiler/graph/text.js";
import { html, type Markup } from "ggsl/core/markup.js";
import { layOut, type Point } from "./layout.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

/** Number of stage colours. Further stages reuse them; each node also shows the number of its stage. */
export const COLORS = 8;

const HEIGHT = 40;
/** The width of a character in pixels. */
const CHARACTER = 7.3;
const LONGEST = 26;

/** The texts of a box. */
interface Texts {
  readonly lines: readonly [string, string];
  readonly title: string;
}

/** @param front the index of a stage whose nodes are in front; the others are faint */
export function draw(graph: Graph, label: string, front?: number): Markup {
  const drawing = drawingOf(graph);
  const { boxes } = drawing;
  if (boxes.length > MAX_DRAWN)
    return html`<p>
      This graph has ${boxes.length} nodes; drawings are made of up to ${MAX_DRAWN}. Its text is above.
    </p>`;
  const texts = boxes.map((box) => textsOf(drawing, box));
  const sizes = texts.map(({ lines }, i) => ({ id: `${i}`, width: widthOf(lines), height: HEIGHT }));
  const edges = drawing.edges.map(([from, to]): [string, string] => [`${from}`, `${to}`]);
  const { width, height, placeOf, lines } = layOut(sizes, edges);
  const arrows = lines.map(line);
  const nodes = boxes.map((box, i) => drawBox(box, texts[i]!, placeOf(`${i}`), front));
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

function textsOf({ boxes, groups }: Drawing, box: Box): Texts {
  const { kind, label, formula, type } = box;
  switch (kind) {
    case "uniform":
      return { lines: [label, short(formula!)], title: `uniform ${label} = ${formula}` };
    case "input":
      return { lines: [short(label), type], title: `input ${label}: ${type}` };
    case "output":
      return { lines: [short(label), "output"], title: `out ${label}` };
    case "state": {
      const number = boxes.filter((b) => b.kind === "state").indexOf(box);
      return { lines: [short(label), "next state"], title: `state ${number} ${label}` };
    }
    case "measure":
      return { lines: [short(label), "measure"], title: `measure ${label}` };
    case "stop":
      return { lines: [short(label), "stop"], title: `stop ${label}` };
    case "op": {
      const stage = stageOf(box);
      const details = box.attrs.map(([name, v]) => `${name}=${typeof v === "number" ? numberText(v) : v}`);
      const where = stage === undefined ? "" : `, stage ${stage + 1}: ${groups[stage]?.name ?? ""}`;
      return {
        lines: [stage === undefined ? label : `${label} \u00b7${stage + 1}`, short([...details, type].join(" "))],
        title: `${[label, ...details].join(" ")}: ${type}${where}`,
      };
    }
  }
}

/** Leaves belong to no stage. */
const stageOf = ({ kind, group }: Box): number | undefined => (kind === "op" ? group : undefined);

const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}\u2026` : text);
const widthOf = (lines: readonly string[]): number => 18 + CHARACTER * greatest(lines.map(({ length }) => length));
const round = (x: number): string => x.toFixed(1).replace(/\.0$/, "");

const line = (points: readonly Point[]): Markup =>
  html`<path
    class="edge"
    marker-end="url(#arrow)"
    d="${points.map(({ x, y }, i) => `${i ? "L" : "M"}${round(x)} ${round(y)}`).join("")}"
  />`;

function drawBox(box: Box, { lines, title }: Texts, { x, y }: Point, front: number | undefined): Markup {
  const width = widthOf(lines);
  const stage = stageOf(box);
  const color = stage === undefined ? "none" : `c${stage % COLORS}`;
  const place = front === undefined || front === stage ? "" : " faint";
  const [left, top] = [x - width / 2, y - HEIGHT / 2];
  return html`<g class="node ${color}${place}"
    ><title>${title}</title
    ><rect
      x="${round(left)}"
      y="${round(top)}"
      width="${round(width)}"
      height="${HEIGHT}"
      rx="${box.kind === "op" ? 4 : HEIGHT / 2}"
    /><text x="${round(x)}" y="${round(y - 4)}">${lines[0]}</text
    ><text class="detail" x="${round(x)}" y="${round(y + 12)}">${lines[1]}</text></g
  >`;
}

/** Lays out the nodes and edges of a drawing from top to bottom with dagre, whose own types Node.js's resolution does not find. */
import * as untyped from "@dagrejs/dagre";

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Dagre {
  readonly graphlib: { readonly Graph: new (options: { readonly multigraph: boolean }) => DagreGraph };
  layout(graph: DagreGraph): void;
}

interface Edge {
  readonly v: string;
  readonly w: string;
}

interface DagreGraph {
  setGraph(settings: Readonly<Record<string, number>>): void;
  setNode(id: string, size: { readonly width: number; readonly height: number }): void;
  setEdge(from: string, to: string, label: object, name: string): void;
  graph(): { readonly width: number; readonly height: number };
  node(id: string): Point;
  edges(): readonly Edge[];
  edge(edge: Edge): { readonly points: readonly Point[] };
}

const dagre = untyped as unknown as Dagre;

interface Node {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

interface Layout {
  readonly width: number;
  readonly height: number;
  /** The middle of a node. */
  readonly placeOf: (id: string) => Point;
  /** A line for each edge. */
  readonly lines: readonly (readonly Point[])[];
}

/** Sizes and places in pixels. */
export function layOut(nodes: readonly Node[], edges: readonly (readonly [from: string, to: string])[]): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ nodesep: 18, ranksep: 26, marginx: 12, marginy: 12 });
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  edges.forEach(([from, to], i) => graph.setEdge(from, to, {}, `${i}`));
  dagre.layout(graph);
  const { width, height } = graph.graph();
  const sizes = new Map(nodes.map((node) => [node.id, node]));
  const rows = new Map(nodes.map(({ id, height: own }) => [graph.node(id).y, own]));
  const lines = graph.edges().map((edge) => {
    const inner = graph.edge(edge).points.slice(1, -1);
    const [from, to] = [graph.node(edge.v), graph.node(edge.w)];
    return [
      endOf(from, sizes.get(edge.v)!, inner[0] ?? to, 1),
      ...aroundBoxes(inner, rows),
      endOf(to, sizes.get(edge.w)!, inner.at(-1) ?? from, -1),
    ];
  });
  return { width, height, placeOf: (id) => graph.node(id), lines };
}

/** The share of a box's width on which lines begin and end. */
const ENDS = 0.7;

/** Where a line leaves or meets a box: on its lower side (1) or its upper one (-1), towards the line's next point. */
function endOf({ x, y }: Point, { width, height }: Node, next: Point, side: 1 | -1): Point {
  const reach = (width * ENDS) / 2;
  return { x: Math.min(x + reach, Math.max(x - reach, next.x)), y: y + (side * height) / 2 };
}

/**
 * The inner points of a line, so that it crosses each row of boxes vertically, where dagre left room for it, and bends only between
 * rows; on the straight way from row to row it would run behind the corners of boxes.
 * @param rows the height of the boxes of each row, by the row's middle
 */
const aroundBoxes = (points: readonly Point[], rows: ReadonlyMap<number, number>): Point[] =>
  points.flatMap(({ x, y }) => {
    const half = (rows.get(y) ?? 0) / 2;
    return half === 0 ? [{ x, y }] : [y - half, y + half].map((at) => ({ x, y: at }));
  });

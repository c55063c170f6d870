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

interface DagreGraph {
  setGraph(settings: Readonly<Record<string, number>>): void;
  setNode(id: string, size: { readonly width: number; readonly height: number }): void;
  setEdge(from: string, to: string, label: object, name: string): void;
  graph(): { readonly width: number; readonly height: number };
  node(id: string): Point;
  edges(): readonly object[];
  edge(edge: object): { readonly points: readonly Point[] };
}

const dagre = untyped as unknown as Dagre;

export interface Node {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
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
  const lines = graph.edges().map((edge) => graph.edge(edge).points);
  return { width, height, placeOf: (id) => graph.node(id), lines };
}

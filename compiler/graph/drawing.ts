/** The drawing of a graph: boxes, edges and groups, without layout or style. */
import type { Attr, Graph, GraphNode } from "./graph.js";
import { opRule } from "./ops.js";
import { uniformText } from "./text.js";

/** The size limit of drawings: larger ones take seconds to lay out, and are unreadable. */
export const MAX_DRAWN = 400;

export interface Box {
  /** Inputs and uniforms come from the host; outputs and next states go back to it. */
  readonly kind: "input" | "uniform" | "op" | "output" | "state" | "measure" | "stop";
  /** The op, `u0` for a uniform, otherwise the name. */
  readonly label: string;
  /** Only of a uniform. */
  readonly formula?: string;
  /** The attributes that are present, in the order of the op table. */
  readonly attrs: readonly (readonly [name: string, value: Attr])[];
  /** `f32[V]`. */
  readonly type: string;
  /** Its group. */
  readonly group?: number;
}

export interface Drawing {
  /** One for each node, by number, then the outputs, the states, the measures and the stops. */
  readonly boxes: readonly Box[];
  /** Indices into the boxes; an edge goes from a lower to a higher one. */
  readonly edges: readonly (readonly [from: number, to: number])[];
  /** The stages. */
  readonly groups: readonly { readonly name: string }[];
}

export function drawingOf(graph: Graph): Drawing {
  const { nodes, outputs, states, windows = [], measures, stops = [], stages } = graph;
  const results = [
    ...Object.entries(outputs).map(([label, id]) => ({ kind: "output" as const, label, id: id as number })),
    ...states.map(({ name, next }) => ({ kind: "state" as const, label: name, id: next })),
    ...windows.map(({ name, next }) => ({ kind: "state" as const, label: name, id: next })),
    ...measures.map(({ name, node }) => ({ kind: "measure" as const, label: name, id: node })),
    ...stops.map(({ name, node }) => ({ kind: "stop" as const, label: name, id: node })),
  ];
  return {
    boxes: [
      ...nodes.map((node) => boxOf(graph, node)),
      ...results.map(({ kind, label, id }) => ({ kind, label, attrs: [], type: typeOf(nodes[id]!) })),
    ],
    edges: [
      ...nodes.flatMap(({ inputs }, id) => inputs.map((from) => [from, id] as const)),
      ...results.map(({ id }, i) => [id, nodes.length + i] as const),
    ],
    groups: stages.map(({ name }) => ({ name })),
  };
}

function boxOf(graph: Graph, node: GraphNode): Box {
  const { op, attrs, origin } = node;
  const index = attrs["index"] as number;
  const common = { type: typeOf(node), attrs: [], ...(origin && { group: origin.stage }) };
  if (op === "input") return { kind: "input", label: graph.inputs[index]!.name, ...common };
  if (op === "uniform") {
    return { kind: "uniform", label: `u${index}`, formula: uniformText(graph.uniforms[index]!.expr), ...common };
  }
  const given = opRule(op).attrs.flatMap(({ name }) => {
    const value = attrs[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { kind: "op", label: op, ...common, attrs: given };
}

const typeOf = ({ dtype, dim }: GraphNode): string => `${dtype}[${dim}]`;

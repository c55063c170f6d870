/** A graph as a drawing in Graphviz's language; a cluster for each stage. */
import type { Graph, GraphNode } from "./graph.js";
import { opRule } from "./ops.js";
import { hostText } from "./text.js";

export function printDot(graph: Graph): string {
  const stages = graph.stages.map((stage, i) => {
    const members = graph.nodes.flatMap((n, id) =>
      n.origin?.stage === i && isDrawnInside(n) ? [`    ${node(graph, n, id)}`] : [],
    );
    return [
      `  subgraph cluster_${i} {`,
      `    label=${quote(stage.name)}; style=rounded; color=gray`,
      ...members,
      "  }",
    ].join("\n");
  });
  const others = graph.nodes.flatMap((n, id) =>
    n.origin === undefined || !isDrawnInside(n) ? [`  ${node(graph, n, id)}`] : [],
  );
  const edges = graph.nodes.flatMap((n, id) => n.inputs.map((from) => `  n${from} -> n${id}`));
  const outputs = Object.entries(graph.outputs).map(([name, id]) => `  ${name} [shape=plaintext]\n  n${id} -> ${name}`);
  return [
    `digraph ${quote(graph.name)} {`,
    '  node [shape=box, fontname="monospace"]',
    ...others,
    ...stages,
    ...edges,
    ...outputs,
    "}",
    "",
  ].join("\n");
}

/** Uniforms and inputs belong to no stage. */
const isDrawnInside = ({ op }: GraphNode): boolean => opRule(op).kind !== "leaf";

function node(graph: Graph, { op, attrs, dtype, dim }: GraphNode, id: number): string {
  const index = attrs["index"] as number;
  if (op === "uniform") return `n${id} [label=${quote(hostText(graph.uniforms[index]!.expr))}, shape=ellipse]`;
  if (op === "input") return `n${id} [label=${quote(`${graph.inputs[index]!.name}\n${dtype}[${dim}]`)}, shape=ellipse]`;
  const details = opRule(op).attrs.map(({ name }) => ` ${name}=${attrs[name]}`);
  return `n${id} [label=${quote(`${op}${details.join("")}\n${dtype}[${dim}]`)}]`;
}

const quote = (text: string): string => JSON.stringify(text);

/** A drawing in Graphviz's DOT language, with a cluster for each stage. */
import { drawingOf, type Box } from "./drawing.js";
import type { Graph } from "./graph.js";

export function printDot(graph: Graph): string {
  const { boxes, edges, groups } = drawingOf(graph);
  /** The boxes of a stage; inputs and uniforms are drawn outside. */
  const within = (group: number | undefined, indent: string): string[] =>
    boxes.flatMap((box, i) =>
      !isResult(box) && (box.kind === "op" ? box.group : undefined) === group ? [`${indent}${line(box, i)}`] : [],
    );
  const clusters = groups.map(({ name }, i) =>
    [
      `  subgraph cluster_${i} {`,
      `    label=${quote(name)}; style=rounded; color=gray`,
      ...within(i, "    "),
      "  }",
    ].join("\n"),
  );
  const arrows = edges.flatMap(([from, to]) => (isResult(boxes[to]!) ? [] : [`  n${from} -> n${to}`]));
  const outputs = edges.flatMap(([from, to]) => {
    const { kind, label } = boxes[to]!;
    return kind === "output" ? [`  ${label} [shape=plaintext]\n  n${from} -> ${label}`] : [];
  });
  return [
    `digraph ${quote(graph.name)} {`,
    '  node [shape=box, fontname="monospace"]',
    ...within(undefined, "  "),
    ...clusters,
    ...arrows,
    ...outputs,
    "}",
    "",
  ].join("\n");
}

const isResult = ({ kind }: Box): boolean =>
  kind === "output" || kind === "state" || kind === "measure" || kind === "stop";

function line({ kind, label, formula, attrs, type }: Box, id: number): string {
  if (kind === "uniform") return `n${id} [label=${quote(formula!)}, shape=ellipse]`;
  if (kind === "input") return `n${id} [label=${quote(`${label}\n${type}`)}, shape=ellipse]`;
  return `n${id} [label=${quote(`${label}${attrs.map(([name, value]) => ` ${name}=${value}`).join("")}\n${type}`)}]`;
}

const quote = (text: string): string => JSON.stringify(text);

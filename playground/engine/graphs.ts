/** The compiled graph, and the effect of the optimizer. */
import { MAX_DRAWN } from "@ggsl/compiler/graph/drawing.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { launches } from "@ggsl/compiler/graph/ops.js";
import { printGraph } from "@ggsl/compiler/graph/text.js";
import { contributions } from "@ggsl/compiler/contributions.js";
import { draw } from "./drawing.js";
import type { GraphReply, ProgramRef } from "./messages.js";
import { openProgram } from "./program.js";

export function graphReply(ref: ProgramRef): GraphReply {
  const program = openProgram(ref);
  const graph = program.graph();
  const plain = program.graph({ optimize: false });
  const optimizations = contributions(graph, (disable) => program.graph({ disable }))
    .map((c) => ({ name: c.name, doc: c.doc, more: c.without - c.with }))
    .filter(({ more }) => more !== 0);
  return {
    text: printGraph(graph),
    plainText: printGraph(plain),
    ...(graph.nodes.length <= MAX_DRAWN && { drawing: draw(graph) }),
    nodes: countNodes(graph),
    nodesWithoutOptimizer: countNodes(plain),
    optimizations,
    ops: opCounts(plain, graph),
  };
}

const countNodes = ({ nodes }: Graph): number => nodes.filter(launches).length;

function opCounts(before: Graph, after: Graph): GraphReply["ops"] {
  const count = ({ nodes }: Graph, op: string): number => nodes.filter((n) => n.op === op && launches(n)).length;
  const ops = new Set([...before.nodes, ...after.nodes].filter(launches).map(({ op }) => op));
  return [...ops].map((op) => ({ op, before: count(before, op), after: count(after, op) }));
}

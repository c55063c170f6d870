/** The compiled graph, and what the optimizer made of it. */
import type { Graph } from "../../compiler/graph/graph.js";
import { launches } from "../../compiler/graph/ops.js";
import { printGraph } from "../../compiler/graph/text.js";
import { OPTIMIZATIONS } from "../../compiler/optimize/optimize.js";
import { draw } from "./drawing.js";
import type { GraphReply, ProgramRef } from "./messages.js";
import { ALL_OPTIMIZATIONS, openProgram } from "./program.js";

/** A larger graph is not drawn: nobody could read it. */
const MAX_DRAWN = 400;

export function graphReply(ref: ProgramRef): GraphReply {
  const program = openProgram(ref);
  const graph = program.graph();
  const plain = program.graph({ disabled: ALL_OPTIMIZATIONS });
  const nodes = countNodes(graph);
  const optimizations = [...OPTIMIZATIONS.values()].map(({ name, doc }) => ({
    name,
    doc,
    more: countNodes(program.graph({ disabled: new Set([name]) })) - nodes,
  }));
  return {
    text: printGraph(graph),
    plainText: printGraph(plain),
    ...(graph.nodes.length <= MAX_DRAWN && { drawing: draw(graph) }),
    nodes,
    nodesWithoutOptimizer: countNodes(plain),
    optimizations: optimizations.filter(({ more }) => more !== 0),
    ops: opCounts(plain, graph),
  };
}

/** Leaves launch nothing, and views move no data. */

const countNodes = ({ nodes }: Graph): number => nodes.filter(launches).length;

function opCounts(before: Graph, after: Graph): GraphReply["ops"] {
  const count = ({ nodes }: Graph, op: string): number => nodes.filter((n) => n.op === op && launches(n)).length;
  const ops = new Set([...before.nodes, ...after.nodes].filter(launches).map(({ op }) => op));
  return [...ops].map((op) => ({ op, before: count(before, op), after: count(after, op) }));
}

/** Which states the rows or the pick depend on, whatever outputs a graph has. */
import { unusedState } from "../check/diagnostics/statements.js";
import type { Graph } from "../graph/graph.js";
import { liveParts } from "../graph/liveness.js";
import type { ChainLowering } from "./chainLowering.js";

/**
 * The states that a sequence keeps. Warns of the program's own ones that it does not keep; whether a standard sampler uses a state
 * depends on its arguments.
 */
export function keptStates(cx: ChainLowering, graph: Graph): ReadonlySet<number> {
  const { raw, assigned, mask, ids } = cx.table;
  const roots = [raw, assigned?.id, mask?.id, ids, cx.picked?.token].filter((id) => id !== undefined);
  const { states } = liveParts(graph, roots);
  cx.stateNames.forEach((name, state) => {
    if (name && !states.has(state)) cx.diagnostics.push(unusedState(name.span, name.text));
  });
  return states;
}

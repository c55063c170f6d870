/** Which states the rows, the pick or the measures depend on, whatever outputs a graph has. */
import { unusedState } from "../diagnostics/statements.js";
import type { Graph } from "../graph/graph.js";
import { liveParts } from "../graph/liveness.js";
import type { ChainLowering } from "./chainLowering.js";

/**
 * The states that a sequence keeps: those that something depends on, and those with a name of `watched`. Warns of the program's own
 * ones that it does not keep; whether a standard sampler uses a state depends on its arguments.
 */
export function keptStates(cx: ChainLowering, graph: Graph, watched: ReadonlySet<string>): ReadonlySet<number> {
  const { raw, assigned, mask, ids } = cx.table;
  const rows = [raw.id, assigned?.id, mask?.value.id, ids, cx.picked?.token].filter((id) => id !== undefined);
  const measured = graph.measures.map(({ node }) => node);
  const wanted = graph.states.flatMap(({ name }, state) => (watched.has(name) ? [state] : []));
  const { states } = liveParts(graph, [...rows, ...measured], wanted);
  cx.stateNames.forEach((name, state) => {
    if (name && !states.has(state)) cx.diagnostics.push(unusedState(name.span, name.text));
  });
  return states;
}

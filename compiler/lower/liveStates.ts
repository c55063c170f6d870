/** Which states and windows the rows, the pick, the measures or the stops depend on, whatever outputs a graph has. */
import { unusedState } from "../diagnostics/statements.js";
import type { Graph } from "../graph/graph.js";
import { liveParts, reportedOf, type KeptParts } from "../graph/liveness.js";
import type { ChainLowering } from "./chainLowering.js";

/**
 * The states and windows that a sequence keeps: those that something depends on, and states with a name of `watched`. Warns of the program's own
 * ones that it does not keep; whether a standard sampler uses a state depends on its arguments.
 */
export function keptParts(cx: ChainLowering, graph: Graph, watched: ReadonlySet<string>): KeptParts {
  const { raw, assigned, mask, ids } = cx.table;
  const rows = [raw.id, assigned?.id, mask?.value.id, ids, cx.picked?.token].filter((id) => id !== undefined);
  const wanted = graph.states.flatMap(({ name }, state) => (watched.has(name) ? [state] : []));
  const { states, windows } = liveParts(graph, [...rows, ...reportedOf(graph)], { states: new Set(wanted) });
  cx.stateNames.forEach((name, state) => {
    if (name && !states.has(state)) cx.diagnostics.push(unusedState(name.span, name.text));
  });
  return { states, windows };
}

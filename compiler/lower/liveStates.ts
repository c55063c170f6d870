/** Which states the rows or the pick depend on, whatever outputs a graph has. */
import { unusedState } from "../check/diagnostics/statements.js";
import type { NodeId, UniformExpr } from "../graph/graph.js";
import type { ChainLowering } from "./chainLowering.js";

/** The states that the table or the picked token depends on, also through each other. */
function liveStates(cx: ChainLowering): ReadonlySet<number> {
  const states = new Set<number>();
  const draws = new Set<number>();
  const nodes = new Set<NodeId>();
  const { table, picked, builder } = cx;
  const roots = [table.raw, table.assigned?.id, table.mask?.id, table.ids, picked?.token];
  const openNodes: NodeId[] = roots.filter((id) => id !== undefined);
  const openExprs: UniformExpr[] = [];
  const addState = (state: number): void => {
    if (states.has(state)) return;
    states.add(state);
    openExprs.push(cx.states[state]!.init);
    const next = cx.next.get(state);
    if (next?.kind === "node") openNodes.push(next.id);
    else if (next) openExprs.push(next.expr);
  };
  const addLeaves = (expr: UniformExpr): void => {
    if (typeof expr !== "object") return;
    if ("state" in expr) addState(expr.state);
    else if ("draw" in expr) {
      if (draws.has(expr.draw)) return;
      draws.add(expr.draw);
      openExprs.push(cx.draws[expr.draw]!.at ?? 0);
    } else if (!("param" in expr)) openExprs.push(...(expr.slice(1) as UniformExpr[]));
  };
  while (openNodes.length + openExprs.length > 0) {
    while (openExprs.length > 0) addLeaves(openExprs.pop()!);
    const id = openNodes.pop();
    if (id === undefined || nodes.has(id)) continue;
    nodes.add(id);
    const { op, inputs, attrs } = builder.nodes[id]!;
    openNodes.push(...inputs);
    if (op === "uniform") openExprs.push(cx.uniforms[attrs["index"] as number]!.expr);
  }
  return states;
}

/**
 * Notes after the last stage which states a sequence keeps, and warns of the program's own ones that it does not; whether a
 * standard sampler uses a state depends on its arguments.
 */
export function keepStates(cx: ChainLowering): void {
  cx.live = liveStates(cx);
  cx.stateNames.forEach((name, state) => {
    if (name && !cx.live.has(state)) cx.diagnostics.push(unusedState(name.span, name.text));
  });
}

/** The states after a token that is accepted in place of the pick. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { keptOf } from "@ggsl/compiler/graph/liveness.js";
import { mayDrop, type GraphPick } from "@ggsl/compiler/graph/pick.js";
import { InputError } from "../../core/errors.js";
import { computed, valuesOf, type Outputs } from "./interpret.js";
import type { Vector } from "./kernels.js";

/** What the graph was given for the token, and what it gave. */
interface Step {
  readonly logits: Float32Array;
  readonly uniforms: Float32Array;
  readonly inputs: readonly Vector[];
  readonly outputs: Outputs;
}

/**
 * The next states, and the measures of the pick, as if the chain had picked `token`: `picked(...)` in the states is of its row.
 * @throws InputError (NOT_A_CANDIDATE) for a token that the chain has dropped
 */
export function statesAccepted(graph: Graph, pick: GraphPick, token: number, step: Step): Float32Array {
  const values = valuesOf(graph, [step.logits, ...step.inputs], step.uniforms);
  const row = rowOf(pick, token, values);
  if (row < 0 || !isLeft(graph, pick, { token, row, values, step }))
    throw new InputError(
      `token ${token} is not a candidate: the chain \`${graph.name}\` has dropped it, and has states that are computed from the picked row; expected ${step.outputs.sampled}, the picked token, or another one that is left`,
      { code: "NOT_A_CANDIDATE" },
    );
  values[pick.row] = Int32Array.of(row);
  for (const id of pick.users) values[id] = computed(graph, id, values, step.logits.length);
  const states = Float32Array.from(step.outputs.states);
  const kept = keptOf(graph);
  for (const state of pick.states) states[state] = values[kept[state]!]![0]!;
  return states;
}

/** The row of a token; -1 without one. */
function rowOf({ ids }: GraphPick, token: number, values: readonly Vector[]): number {
  let index = token;
  for (let i = ids.length - 1; i >= 0; i--) index = values[ids[i]!]!.indexOf(index);
  return index;
}

/** A row, and what is known of the step. */
interface Row {
  readonly token: number;
  readonly row: number;
  readonly values: readonly Vector[];
  readonly step: Step;
}

/** Whether a token was left when the chain picked. */
function isLeft(graph: Graph, { weights }: GraphPick, { token, row, values, step }: Row): boolean {
  const { candidates, logits } = step.outputs;
  if (logits) return (logits[candidates ? candidates.indexOf(token) : token] ?? -Infinity) > -Infinity;
  if (weights !== undefined) return values[weights]![row]! > 0;
  if (mayDrop(graph, step.logits.length))
    throw new InputError(
      `the chain \`${graph.name}\` picks the largest value, and this graph does not say which tokens it has dropped, so that only ${step.outputs.sampled}, the picked one, can be accepted, found ${token}: evaluate the graph with the rows, \`chain.rowsGraph\``,
      { code: "NOT_A_CANDIDATE" },
    );
  return step.logits[token]! > -Infinity;
}

/** What a graph gives, token by token. */
import type { Graph } from "../../compiler/graph/graph.js";
import { acceptPrompt, acceptToken, featureInputs, startSequence, uniformsOf } from "../../runtime/sequence.js";
import type { Run } from "../parity/backends.js";
import { rowsOfGraph, type Rows } from "../parity/rows.js";
import type { Given } from "./cases.js";

export interface Step {
  /** Absent where the graph gives the token alone. */
  readonly rows: Rows | undefined;
  /** Logits and probabilities of all rows, the dropped ones too. */
  readonly numbers: readonly number[];
  readonly token: number | undefined;
  /** The next values of the states, by name. */
  readonly states: ReadonlyMap<string, number>;
}

/** Runs a graph. `accepted` are the tokens that are accepted whatever it picks; without them it goes its own way. */
export function outcomeOf(
  graph: Graph,
  { logits, history, uniforms, ...options }: Given,
  run: Run,
  accepted?: readonly number[],
): Step[] {
  const vocabSize = logits[0]!.length;
  let sequence = acceptPrompt(
    startSequence(graph, vocabSize, { ...options, uniforms: usedBy(graph, uniforms) }),
    history,
  );
  return logits.map((row, i) => {
    const { sampled, states = new Float32Array(), ...rows } = run(row, uniformsOf(sequence), featureInputs(sequence));
    const token = typeof sampled === "object" ? sampled[0]! : sampled;
    const left = rows.logits && rowsOfGraph(rows);
    const step: Step = {
      rows: left,
      numbers: [...(rows.logits ?? []), ...(rows.probs ?? [])],
      token,
      states: new Map(graph.states.map(({ name }, at) => [name, states[at]!])),
    };
    sequence = acceptToken(sequence, accepted?.[i] ?? chosen(step), Float32Array.from(states));
    return step;
  });
}

/** The token that the text goes on with: the picked one, or any of those left. */
export const chosen = ({ token, rows }: Step): number => token ?? rows?.tokens[0] ?? 0;

/** A graph in which a uniform was folded has it no more. */
const usedBy = ({ params }: Graph, uniforms: Given["uniforms"]): Given["uniforms"] =>
  Object.fromEntries(params.flatMap(({ name }) => (name in uniforms ? [[name, uniforms[name]!]] : [])));

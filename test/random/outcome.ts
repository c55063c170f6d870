/** The results of a graph, token by token. */
import type { Graph } from "../../compiler/graph/graph.js";
import { keptCount } from "../../compiler/graph/liveness.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  measuresOf,
  startSequence,
  statesOf,
  writtenToken,
  uniformsOf,
  withUniforms,
} from "../../runtime/sequence/sequence.js";
import { columnsOf } from "../../runtime/sequence/features/feed.js";
import { setsOf } from "../../compiler/graph/sets.js";
import type { Run } from "../parity/backends.js";
import { rowsOfGraph, type Rows } from "../parity/rows.js";
import type { Given } from "./cases.js";

export interface Step {
  /** Absent if the graph outputs only the token. */
  readonly rows: Rows | undefined;
  /** Logits and probabilities of all rows, including dropped ones. */
  readonly numbers: readonly number[];
  readonly token: number | undefined;
  /** The values of the states after the token, by name. */
  readonly states: ReadonlyMap<string, number>;
  /** The values of the measures of the token, by name. */
  readonly measures: ReadonlyMap<string, number>;
  /** Whether the stops hold for the token, by name: those that can. */
  readonly stops: ReadonlyMap<string, number>;
  /** The token of a text that comes in place of the pick. */
  readonly written: number | undefined;
  /** How many of the tokens so far the grammar did not allow. */
  readonly disallowed: number;
}

/** Runs a graph. Tokens of `picked` are taken for its picks; without them its own. It accepts these, or what it writes in their place. */
export function outcomeOf(
  graph: Graph,
  { logits, history, uniforms, sets, ...options }: Given,
  run: Run,
  picked?: readonly number[],
): Step[] {
  const vocabSize = logits[0]!.length;
  const firstStop = keptCount(graph) + graph.measures.length;
  let sequence = acceptPrompt(
    startSequence(graph, vocabSize, {
      ...options,
      uniforms: { ...usedBy(graph, uniforms), ...setsAt(graph, sets, 0) },
    }),
    history,
  );
  return logits.map((row, i) => {
    sequence = withUniforms(sequence, setsAt(graph, sets, i));
    const { sampled, states = new Float32Array(), ...rows } = run(row, uniformsOf(sequence), featureInputs(sequence));
    const token = typeof sampled === "object" ? sampled[0]! : sampled;
    const left = rows.logits && rowsOfGraph(rows);
    const step: Step = {
      rows: left,
      numbers: [...(rows.logits ?? []), ...(rows.probs ?? [])],
      token,
      states: new Map(),
      measures: new Map(Object.entries(measuresOf(graph, Float32Array.from(states)).measures ?? {})),
      written: writtenToken(sequence),
      disallowed: 0,
      stops: new Map((graph.stops ?? []).map(({ name }, n) => [name, states[firstStop + n]!])),
    };
    sequence = acceptToken(sequence, step.written ?? picked?.[i] ?? chosen(step), Float32Array.from(states));
    return { ...step, states: new Map(Object.entries(statesOf(sequence))), disallowed: sequence.disallowed };
  });
}

/** The token that continues the text: the picked one, or any of the rows left. */
export const chosen = ({ token, rows }: Step): number => token ?? rows?.tokens[0] ?? 0;

/** Omits uniforms that were folded and are not in the graph. */
const usedBy = ({ params }: Graph, uniforms: Given["uniforms"]): Given["uniforms"] =>
  Object.fromEntries(params.flatMap(({ name }) => (name in uniforms ? [[name, uniforms[name]!]] : [])));

/** What a device keeps of the sets of a graph. */
export const columnsFor =
  (graph: Graph, { logits, uniforms, sets: _, ...options }: Given) =>
  (): readonly Float32Array[] => {
    const started = startSequence(graph, logits[0]!.length, { ...options, uniforms: usedBy(graph, uniforms) });
    return columnsOf(graph, started.features);
  };

/** The sets of tokens of a graph at a step. */
const setsAt = (graph: Graph, sets: Given["sets"], step: number): Record<string, readonly (number | string)[]> =>
  Object.fromEntries(
    setsOf(graph).flatMap(({ name }) =>
      name !== undefined && sets[name] ? [[name, sets[name][step % sets[name].length]!]] : [],
    ),
  );

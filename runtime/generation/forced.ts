/**
 * Forced tokens: where a grammar allows one token alone, the chain picks it whatever the logits are, so the model need not be asked.
 * Its tokens are read with the next one that is picked.
 */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { onlyToken } from "../grammars/bits.js";
import { grammarOf } from "../sequence/features/feed.js";
import { uniformsOf, type SequenceState } from "../sequence/sequence.js";
import { knownStates } from "../decode/speculation/known.js";
import type { SequenceRequest } from "./request.js";

/** What decides whether the model must be asked for each token. */
export interface Asked {
  readonly graph: Graph;
  readonly options: SequenceRequest;
  readonly tail: unknown;
  readonly guides: readonly unknown[];
  readonly speculator: unknown;
  readonly checksLogits: boolean;
  readonly sequence: SequenceState;
}

/** A token that is picked whatever the logits are. */
interface Forced {
  readonly token: number;
  /** The next values of the states. */
  readonly scalars: Float32Array;
}

/** The token that is picked whatever the logits are, if any. The grammars of the sequence are ready. */
export type Force = (sequence: SequenceState) => Forced | undefined;

/**
 * What finds forced tokens; undefined if the model must be asked for each token. The chain keeps what a grammar allows before it drops
 * any other row, whatever the token, and nothing else is read from its rows: alternatives, measures, states that depend on them, a host
 * tail. Guides and drafts are read with each token.
 */
export function forcing(asked: Asked): Force | undefined {
  const { graph, sequence } = asked;
  const first = forcingFeature(asked);
  const states = first === undefined ? undefined : knownStates(graph, sequence.vocabSize);
  if (first === undefined || !states) return undefined;
  return (now) => {
    const token = onlyToken(grammarOf(now.features[first]!)!.state.bits());
    return token === undefined ? undefined : { token, scalars: states(uniformsOf(now)) };
  };
}

/** The feature whose grammar decides alone what comes next, where it allows one token. */
export function forcingFeature({
  graph,
  options,
  tail,
  guides,
  speculator,
  checksLogits,
  sequence,
}: Asked): number | undefined {
  const { alternatives = 0, logprobs } = options;
  const readsRows = alternatives > 0 || logprobs !== undefined || tail !== undefined || checksLogits;
  const isAlone = guides.length === 0 && speculator === undefined && graph.measures.length === 0;
  const first = graph.features.findIndex(({ from }) => from.kind === "allowed" && from.first === true);
  return readsRows || !isAlone || first < 0 || !knownStates(graph, sequence.vocabSize) ? undefined : first;
}

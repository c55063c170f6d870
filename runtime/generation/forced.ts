/**
 * Forced tokens: they come whatever the logits are, so the model need not be asked, and are read with the next one that is picked. A grammar
 * may allow one token alone, and texts are written in place of picks: those of the chain, and the end of a thought.
 */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { reportedOf } from "@ggsl/compiler/graph/liveness.js";
import { onlyToken } from "../grammars/bits.js";
import { grammarOf } from "../sequence/features/feed.js";
import { uniformsOf, writtenToken, type SequenceState } from "../sequence/sequence.js";
import { knownStates } from "../decode/speculation/known.js";
import type { SequenceRequest } from "./request.js";
import type { Thought } from "./thought.js";

/** What decides whether the model must be asked for each token. */
interface Asked {
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

/** What finds forced tokens. */
export interface Forcing {
  /** The feature whose grammar decides alone what comes next, where it allows one token. */
  readonly feature: number;
  /** The token that is picked whatever the logits are, if any. The grammars of the sequence are ready. */
  readonly tokenOf: (sequence: SequenceState) => Forced | undefined;
}

/**
 * What a sequence keeps of a token that the model is not asked for; undefined if it must be asked for each. It need not if nothing is read
 * from the chain's rows: alternatives, measures, stops, states that depend on them, a host tail. Guides and drafts are read with each token.
 */
export function unasked({
  graph,
  options,
  tail,
  guides,
  speculator,
  checksLogits,
  sequence,
}: Asked): ((now: SequenceState) => Float32Array) | undefined {
  const { alternatives = 0, logprobs } = options;
  const readsRows = alternatives > 0 || logprobs !== undefined || tail !== undefined || checksLogits;
  const isAlone = guides.length === 0 && speculator === undefined && reportedOf(graph).length === 0;
  const states = readsRows || !isAlone ? undefined : knownStates(graph, sequence.vocabSize);
  return states && ((now) => states(uniformsOf(now)));
}

/** The token that comes in place of the pick: of a text that the chain writes, or of the end of a thought, which lets such a text end first. */
export function inPlaceOfPick(sequence: SequenceState, thought: Thought | undefined): number | undefined {
  const closing = sequence.writing ? undefined : thought?.next();
  return closing ?? writtenToken(sequence);
}

/**
 * What finds forced tokens; undefined if the model must be asked for each token. The chain keeps what a grammar allows before it drops
 * any other row, whatever the token, and nothing else is read from its rows.
 */
export function forcing(asked: Asked): Forcing | undefined {
  const feature = asked.graph.features.findIndex(({ from }) => from.kind === "allowed" && from.first === true);
  const scalarsOf = feature < 0 ? undefined : unasked(asked);
  if (!scalarsOf) return undefined;
  const tokenOf = (now: SequenceState): Forced | undefined => {
    const token = onlyToken(grammarOf(now.features[feature]!)!.state.bits());
    return token === undefined ? undefined : { token, scalars: scalarsOf(now) };
  };
  return { feature, tokenOf };
}

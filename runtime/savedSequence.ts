/** Sequences as JSON: saving, checking and restoring. */
import { NEVER, uniformExprsOf } from "@ggsl/compiler/graph/uniform.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { LIMITS } from "@ggsl/compiler/limits/format.js";
import { MAX_CONTEXT } from "@ggsl/compiler/llama/contexts.js";
import * as is from "./check.js";
import { InputError } from "./errors.js";
import { restoreWatches, saveWatches, type SavedWatch } from "./features/endings.js";
import { promptNeeded, type Feed } from "./features/feed.js";
import { finite, tokenList } from "./optionChecks.js";
import { keptStates, readsText, startSequence, startStream, type SequenceState } from "./sequence.js";

/** A sequence as JSON, complete enough to continue the text. */
export interface SavedSequence<States extends readonly number[] = readonly number[]> {
  readonly ggsl: 1;
  readonly chain: string;
  readonly params: Readonly<Record<string, number>>;
  /** The parameters that are sets of tokens; absent: none. */
  readonly sets?: Readonly<Record<string, readonly number[]>>;
  readonly streams: readonly { readonly seed: number; readonly count: number }[];
  readonly states: States;
  readonly step: number;
  readonly history: readonly number[];
  readonly promptLength?: number;
  readonly prompt?: readonly number[];
  readonly watches?: readonly SavedWatch[];
}

const WATCH: is.Checks<SavedWatch> = {
  ending: is.either("a text or a list of tokens", is.text, tokenList()),
  matched: is.integer(0, LIMITS.ending * 4),
  since: is.integer(0, NEVER),
};
const STREAM = is.object({ seed: is.integer(0, 2 ** 32 - 1), count: is.integer(0, 1e7) });
const SAVED: is.Checks<SavedSequence> = {
  ggsl: is.oneOf(1),
  chain: is.text,
  params: is.recordOf("an object of numbers by name", finite),
  sets: is.recordOf("an object of lists of tokens by name", tokenList()),
  streams: is.listOf("a list of streams", STREAM),
  states: is.listOf("a list of numbers", finite),
  step: is.integer(0, MAX_CONTEXT),
  history: tokenList(),
  promptLength: is.integer(0, MAX_CONTEXT),
  prompt: tokenList(),
  watches: is.listOf("a list of endings", is.complete(WATCH)),
};
/** Parts that sequences saved by earlier versions do not have. */
const ADDED: readonly string[] = ["sets", "promptLength", "prompt", "watches"] satisfies (keyof SavedSequence)[];
/** A result of `save`; whether it belongs to the chain is checked later. */
export const savedSequence: is.Check = (value, name) => {
  is.object(SAVED)(value, name);
  for (const part of Object.keys(SAVED))
    if (!ADDED.includes(part) && (value as Readonly<Record<string, unknown>>)[part] === undefined)
      is.refuse(`${name}.${part}`, "part of a saved sequence", undefined);
};

export function saveSequence(s: SequenceState): SavedSequence {
  if (s.features.some((f) => f.grammar))
    throw new InputError(
      "a sequence with a grammar cannot be saved: the saved form does not include the grammar's state",
    );
  const sets = s.sets.flatMap(({ set: { name }, tokens }) =>
    name === undefined ? [] : [[name, [...tokens]] as const],
  );
  return {
    ggsl: 1,
    chain: s.graph.name,
    params: Object.fromEntries(s.params),
    ...(sets.length > 0 && { sets: Object.fromEntries(sets) }),
    streams: s.streams.map(({ seed, count }) => ({ seed, count })),
    states: [...s.states],
    step: s.step,
    history: [...s.history],
    promptLength: s.promptLength,
    prompt: [...s.prompt],
    watches: saveWatches(s.watches),
  };
}

/** Restores a saved sequence. Throws `InputError` if it does not match the chain. */
export function restoreSequence(graph: Graph, vocabSize: number, saved: SavedSequence, feed: Feed = {}): SequenceState {
  savedSequence(saved, "resume");
  const fits =
    saved.chain === graph.name &&
    saved.streams.length === graph.draws.length &&
    saved.states.length === graph.states.length;
  const refused = new InputError(`this is not a saved sequence of the chain \`${graph.name}\``);
  if (!fits) throw refused;
  const stray = [...saved.history, ...(saved.prompt ?? [])].find((token) => token >= vocabSize);
  if (stray !== undefined)
    throw new InputError(`the saved sequence contains token ${stray}; the vocabulary has ${vocabSize} tokens`);
  const fresh = startSequence(graph, vocabSize, { feed, uniforms: { ...saved.params, ...saved.sets } });
  const watches = restoreWatches(fresh.watches, saved.watches ?? []);
  const needsPrompt = promptNeeded(graph) > 0 || uniformExprsOf(graph).some(readsText);
  const isTextSaved = !needsPrompt || (saved.promptLength !== undefined && saved.prompt !== undefined);
  if (!watches || !isTextSaved) throw refused;
  const streams = saved.streams.map(({ seed, count }, i) => {
    const stream = startStream(graph.draws[i]!, seed);
    return count === 0 ? stream : stream.at(count);
  });
  return {
    ...fresh,
    streams,
    states: keptStates(graph, saved.states),
    step: saved.step,
    history: Int32Array.from(saved.history),
    promptLength: saved.promptLength ?? 0,
    prompt: Int32Array.from(saved.prompt ?? []),
    watches,
  };
}

/** Sequences as JSON: saving, checking and restoring. */
import { NEVER, uniformExprsOf } from "@ggsl/compiler/graph/uniform.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { LIMITS } from "@ggsl/compiler/limits/format.js";
import { MAX_CONTEXT } from "@ggsl/compiler/llama/contexts.js";
import * as is from "../core/check.js";
import { invalid } from "../core/errors.js";
import { restoreWatches, saveWatches, type SavedWatch } from "./features/endings.js";
import { grammarOf, promptNeeded, type Feed, type OpenFeature } from "./features/feed.js";
import { afterTokens, grammarSource, tokensSince } from "./features/grammars.js";
import type { GrammarSource } from "../grammars/types.js";
import { finite, tokenList } from "../core/sharedOptions.js";
import { phraseForms, type Phrase } from "./phrases/phrases.js";
import { restoredStages, savedTail, type SavedTail } from "./savedTail.js";
import { keptStates, readsText, startSequence, type SequenceState } from "./sequence.js";
import { startStream } from "./streams.js";
import type { Writing } from "./written.js";

/** A sequence as JSON, complete enough to continue the text. */
export interface SavedSequence<States extends readonly number[] = readonly number[]> {
  readonly ggsl: 1;
  readonly chain: string;
  readonly params: Readonly<Record<string, number>>;
  /** The parameters that are sets of tokens; absent: none. */
  readonly sets?: Readonly<Record<string, readonly number[]>>;
  /** The phrases of the parameters; absent: none. */
  readonly phrases?: Readonly<Record<string, readonly Phrase[]>>;
  /** The grammars of the parameters; absent: none. */
  readonly grammars?: Readonly<Record<string, GrammarSource>>;
  /** For each grammar that the chain follows, the tokens that it went on with since it began; absent: none. */
  readonly followed?: readonly (readonly number[])[];
  readonly streams: readonly { readonly seed: number; readonly count: number }[];
  readonly states: States;
  /** The last values of each window, oldest first; absent: none. */
  readonly windows?: readonly (readonly number[])[];
  /** The text that the chain is writing, and how many of its tokens have come; absent: none. */
  readonly writing?: Writing;
  readonly step: number;
  readonly history: readonly number[];
  readonly promptLength?: number;
  readonly prompt?: readonly number[];
  readonly watches?: readonly SavedWatch[];
  /** Absent for a chain without a host tail. */
  readonly tail?: SavedTail;
  /** The bytes of the prompt that the first tokens of a healed text write again; absent: none. */
  readonly healed?: readonly number[];
}

/** The most bytes of a prompt that a text writes again: those of a token. */
export const MOST_HEALED = 1024;
const healedBytes: is.Check = (value, name) => {
  is.listOf(`a list of at most ${MOST_HEALED} bytes`, is.integer(0, 255))(value, name);
  const { length } = value as readonly number[];
  if (length > MOST_HEALED) is.refuse(name, `a list of at most ${MOST_HEALED} bytes`, length);
};

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
  phrases: is.recordOf("an object of lists of phrases by name", phraseForms),
  grammars: is.recordOf("an object of grammars by name", grammarSource),
  followed: is.listOf("a list of lists of tokens", tokenList()),
  streams: is.listOf("a list of streams", STREAM),
  states: is.listOf("a list of numbers", finite),
  windows: is.listOf("a list of lists of numbers", is.listOf("a list of numbers", finite)),
  writing: is.object({ write: is.integer(0, LIMITS.writes - 1), at: is.integer(0, MAX_CONTEXT) }),
  step: is.integer(0, MAX_CONTEXT),
  history: tokenList(),
  promptLength: is.integer(0, MAX_CONTEXT),
  prompt: tokenList(),
  watches: is.listOf("a list of endings", is.complete(WATCH)),
  tail: savedTail,
  healed: healedBytes,
};
/** Parts that sequences saved by earlier versions do not have. */
const ADDED: readonly string[] = [
  "writing",
  "windows",
  "sets",
  "phrases",
  "grammars",
  "followed",
  "promptLength",
  "prompt",
  "watches",
  "tail",
  "healed",
] satisfies (keyof SavedSequence)[];
/** A result of `save`; whether it belongs to the chain is checked later. */
export const savedSequence: is.Check = (value, name) => {
  is.object(SAVED)(value, name);
  for (const part of Object.keys(SAVED))
    if (!ADDED.includes(part) && (value as Readonly<Record<string, unknown>>)[part] === undefined)
      is.refuse(`${name}.${part}`, "part of a saved sequence", undefined);
};

/** @param tail absent for a chain without a host tail */
export function saveSequence(s: SequenceState, tail?: SavedTail): SavedSequence {
  const followed = s.features.flatMap((feature) => {
    const grammar = grammarOf(feature);
    return grammar ? [tokensSince(grammar)] : [];
  });
  const sets = s.sets.flatMap(({ set: { name }, tokens }) =>
    // phrases have no tokens but where the text was taken back
    name === undefined || s.phrases.has(name) ? [] : [[name, [...tokens]] as const],
  );
  return {
    ggsl: 1,
    chain: s.graph.name,
    params: Object.fromEntries(s.params),
    ...(sets.length > 0 && { sets: Object.fromEntries(sets) }),
    ...(s.phrases.size > 0 && { phrases: Object.fromEntries(s.phrases) }),
    ...(s.grammars.size > 0 && { grammars: Object.fromEntries(s.grammars) }),
    ...(followed.length > 0 && { followed }),
    streams: s.streams.map(({ seed, count }) => ({ seed, count })),
    states: [...s.states],
    ...(s.windows.length > 0 && { windows: s.windows.map((values) => [...values]) }),
    ...(s.writing && { writing: s.writing }),
    step: s.step,
    history: [...s.history],
    promptLength: s.promptLength,
    prompt: [...s.prompt],
    watches: saveWatches(s.watches),
    ...(tail && { tail }),
  };
}

/** Restores a saved sequence. Throws `InputError` if it does not match the chain. */
export function restoreSequence(graph: Graph, vocabSize: number, saved: SavedSequence, feed: Feed = {}): SequenceState {
  savedSequence(saved, "resume");
  const fits =
    saved.chain === graph.name &&
    saved.streams.length === graph.draws.length &&
    saved.states.length === graph.states.length &&
    fitsWindows(graph, saved);
  const refused = invalid(`this is not a saved sequence of the chain \`${graph.name}\``);
  if (!fits) throw refused;
  const stray = [saved.history, saved.prompt ?? [], ...(saved.followed ?? [])]
    .flat()
    .find((token) => token >= vocabSize);
  if (stray !== undefined)
    throw invalid(`the saved sequence contains token ${stray}; the vocabulary has ${vocabSize} tokens`);
  const fresh = startSequence(graph, vocabSize, {
    feed,
    uniforms: { ...saved.params, ...saved.sets, ...saved.phrases, ...saved.grammars },
  });
  const features = followedAgain(fresh.features, saved.followed ?? []);
  const watches = restoreWatches(fresh.watches, saved.watches ?? []);
  const needsPrompt = promptNeeded(graph) > 0 || uniformExprsOf(graph).some(readsText);
  const isTextSaved = !needsPrompt || (saved.promptLength !== undefined && saved.prompt !== undefined);
  if (!watches || !features || !isTextSaved || !restoredStages(graph, saved)) throw refused;
  const { writing } = saved;
  if (writing && !(writing.at < (fresh.written[writing.write]?.length ?? 0))) throw refused;
  const streams = saved.streams.map(({ seed, count }, i) => {
    const stream = startStream(graph.draws[i]!, seed);
    return count === 0 ? stream : stream.at(count);
  });
  return {
    ...fresh,
    features,
    streams,
    states: keptStates(graph, saved.states),
    windows: (saved.windows ?? []).map((values) => Float32Array.from(values)),
    writing,
    step: saved.step,
    history: Int32Array.from(saved.history),
    promptLength: saved.promptLength ?? 0,
    prompt: Int32Array.from(saved.prompt ?? []),
    watches,
  };
}

/** Whether the windows are those of the chain, with as many values as tokens were generated. */
const fitsWindows = ({ windows: all = [] }: Graph, { windows = [], step }: SavedSequence): boolean =>
  windows.length === all.length && windows.every(({ length }, i) => length === Math.min(step, all[i]!.size));

/** The features with their grammars after these tokens; undefined if they are not of this chain. */
function followedAgain(
  features: readonly OpenFeature[],
  followed: readonly (readonly number[])[],
): OpenFeature[] | undefined {
  if (features.filter(grammarOf).length !== followed.length) return undefined;
  let next = 0;
  return features.map((f) =>
    f.kind === "allowed" ? { ...f, grammar: afterTokens(f.grammar!, followed[next++]!) } : f,
  );
}

/** Opens grammars over a vocabulary. */
import type { Vocabulary } from "../core/vocabulary.js";
import { threadsHere } from "../core/threads.js";
import type { AnyAutomatonBinding } from "../backends/native/automatonBinding.js";
import { openVocabulary, type OpenAutomaton } from "./automata.js";
import { beginAutomaton } from "./automaton.js";
import { engineHere } from "./engine.js";
import { nameOf, textOfSource } from "./kinds.js";
import { Later, Opening } from "./later.js";
import { tableOfSource } from "./rulesOf.js";
import { sharedPool } from "./threads/pool.js";
import { sharedPreparing, type Preparing } from "./threads/preparing.js";
import type { GrammarSource, GrammarState } from "./types.js";
import type { Table } from "./words.js";

export interface GrammarPlace {
  readonly vocabulary: Vocabulary;
  /** Where the engine is, if not that of this process or page. */
  readonly binding?: AnyAutomatonBinding;
  /** Sources are read, and positions worked out, in this thread, which waits for them. */
  readonly now: boolean;
  /** Whose text it is: lanes take turns in other threads. */
  readonly lane?: string | undefined;
  /** What reads sources, if not the threads of this process. */
  readonly preparing?: Preparing;
}

/** With `now`, throws `InputError` for a source that is not right; without it, that is an error of the first position. */
export function openGrammar(source: GrammarSource, place: GrammarPlace): GrammarState {
  const { now, lane = "" } = place;
  const begin = (opened: OpenAutomaton): GrammarState => beginAutomaton(opened, { now, lane });
  if (isHere(place)) return begin(openHere(source, place));
  return new Later(
    new Opening((signal) => {
      const opened = opening(source, place, signal);
      return opened instanceof Promise ? opened.then(begin) : begin(opened);
    }),
  );
}

/**
 * Prepares a grammar, so that its texts do not wait for it. Rejects with an `InputError` for one that is not right or exceeds a limit, and
 * with what aborted the signal.
 */
export async function prepareGrammar(source: GrammarSource, place: GrammarPlace, signal?: AbortSignal): Promise<void> {
  await (isHere(place) ? openHere(source, place) : opening(source, place, signal));
}

const isHere = ({ now }: GrammarPlace): boolean => now || !threadsHere();

function openHere(source: GrammarSource, { binding = engineHere(), vocabulary }: GrammarPlace): OpenAutomaton {
  const key = textOfSource(source);
  const at = openVocabulary(binding, vocabulary);
  return at.kept(key) ?? at.open(key, tableOfSource(source));
}

function opening(
  source: GrammarSource,
  { binding = engineHere(), vocabulary, lane = "", preparing = sharedPreparing() }: GrammarPlace,
  signal?: AbortSignal,
): OpenAutomaton | Promise<OpenAutomaton> {
  const text = textOfSource(source);
  const at = openVocabulary(binding, vocabulary);
  const known = at.kept(text);
  if (known) return known;
  const open = ({ table }: { readonly table: Table }): Promise<OpenAutomaton> =>
    sharedPool().run(lane, () => at.openLater(text, table));
  const prepared = preparing.prepare({ name: nameOf(source), source: text, lane, signal });
  return prepared instanceof Promise ? prepared.then(open) : open(prepared);
}

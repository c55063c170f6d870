/** Opens grammars over a vocabulary, with the engine that the table of sources names. */
import { InputError } from "../core/errors.js";
import { textsOf, type Vocabulary } from "../core/vocabulary.js";
import { Later, Opening } from "./later.js";
import { GRAMMAR_LIMITS } from "./limits.js";
import { nameOf, route, textOfSource, type Routed } from "./sources.js";
import { tokenBytes } from "./tokenBytes.js";
import { sharedPreparing, type Asked, type Prepared, type Preparing } from "./threads/preparing.js";
import { threadsHere } from "../core/threads.js";
import type { GrammarSource, GrammarState } from "./types.js";
import { sharedClient, type Client } from "./xgrammar/client.js";
import type { EngineVocabulary } from "./xgrammar/engine.js";
import { openSession, type SessionOptions, type SessionVocabulary } from "./xgrammar/session.js";

export interface GrammarPlace {
  readonly vocabulary: Vocabulary;
  /** Opens a GBNF grammar with llama.cpp's engine; absent without a model. Throws `InputError` with llama.cpp's message. */
  readonly openLlama?: (gbnf: string) => GrammarState;
  /** Sources are read, and positions computed, in this thread, which waits for them. */
  readonly now: boolean;
  /** Whose text it is: lanes take turns where grammars are prepared. */
  readonly lane?: string | undefined;
  /** Where the text lives, if not in the threads of this process; its source is read in this thread then. */
  readonly clients?: readonly [Client, ...Client[]];
  /** What prepares grammars, if not the threads of this process. */
  readonly preparing?: Preparing;
}

/**
 * With `now`, throws `InputError` for a source that is not right; what only the engine finds is an error of the first position, and so
 * is any fault without it.
 */
export function openGrammar(source: GrammarSource, place: GrammarPlace): GrammarState {
  if (place.now || place.clients || !threadsHere()) return openHere(source, place);
  return new Later(
    new Opening((signal) => {
      const asked = askedFor(source, place, signal);
      const prepared = preparedOf(source, place, asked);
      const open = (found: Prepared): GrammarState => openPrepared(source, place, asked, found);
      return prepared instanceof Promise ? prepared.then(open) : open(prepared);
    }),
  );
}

/**
 * Prepares a grammar where its texts do not wait for it. Rejects with an `InputError` for one that is not right or exceeds a limit, and
 * with what aborted the signal.
 */
export async function prepareGrammar(source: GrammarSource, place: GrammarPlace, signal?: AbortSignal): Promise<void> {
  if (place.now || !threadsHere()) {
    openHere(source, place);
    return;
  }
  const asked = askedFor(source, place, signal);
  openPrepared(source, place, asked, await preparedOf(source, place, asked));
}

/** The source is read in this thread. */
const openHere = (source: GrammarSource, place: GrammarPlace): GrammarState =>
  opened(source, place, {
    routed: routedOf(source, place.openLlama),
    clients: place.clients ?? [sharedClient("now")],
  });

function askedFor(source: GrammarSource, { vocabulary, lane = "" }: GrammarPlace, signal?: AbortSignal): Asked {
  const text = textOfSource(source);
  return { name: nameOf(source), source: text, vocabulary: sessionVocabulary(vocabulary), lane, signal };
}

function preparedOf(source: GrammarSource, { openLlama, preparing = sharedPreparing() }: GrammarPlace, asked: Asked) {
  try {
    const prepared = preparing.prepare(asked);
    if (!(prepared instanceof Promise)) return prepared;
    return prepared.catch((error: unknown) => refused(source, error, openLlama));
  } catch (error) {
    return refused(source, error, openLlama);
  }
}

/** A cheap grammar lives among many; one that proves expensive there goes on with others of its kind. */
function openPrepared(
  source: GrammarSource,
  place: GrammarPlace,
  asked: Asked,
  { routed, isCheap }: Prepared,
): GrammarState {
  const { preparing = sharedPreparing() } = place;
  const others = sharedClient("expensive");
  if (!isCheap || preparing.isLate(asked.lane)) return opened(source, place, { routed, clients: [others] });
  const onNext = (): void => preparing.demote(asked);
  return opened(source, place, { routed, clients: [sharedClient("cheap"), others], onNext });
}

type Found = Pick<SessionOptions, "clients" | "onNext"> & { readonly routed: Routed };

function opened(source: GrammarSource, place: GrammarPlace, { routed, ...found }: Found): GrammarState {
  const { vocabulary, openLlama, now, lane } = place;
  const name = nameOf(source);
  if (routed.engine === "xgrammar") {
    const naming = (message: string): string => `${name} cannot be used: ${message}`;
    return openSession({
      vocabulary: sessionVocabulary(vocabulary),
      grammar: routed.grammar,
      naming,
      now,
      lane,
      ...found,
    });
  }
  if (openLlama) return openLlama(routed.gbnf);
  throw new InputError(`${name} has ${routed.because}: that needs a model`, { code: "UNSUPPORTED" });
}

function routedOf(source: GrammarSource, openLlama: GrammarPlace["openLlama"]): Routed {
  try {
    return route(source);
  } catch (error) {
    return refused(source, error, openLlama);
  }
}

/** llama.cpp's message for a fault is used where llama.cpp is there, and quick. */
function refused(source: GrammarSource, error: unknown, openLlama: GrammarPlace["openLlama"]): never {
  const isSyntax = error instanceof InputError && error.code === "INVALID_ARGUMENT";
  const gbnf: unknown = isSyntax && openLlama ? (source as { readonly gbnf?: unknown } | null)?.gbnf : undefined;
  if (typeof gbnf === "string" && gbnf.length <= GRAMMAR_LIMITS.llamaLength) openLlama?.(gbnf);
  throw error;
}

const known = new WeakMap<Vocabulary, SessionVocabulary>();
let count = 0;

function sessionVocabulary(vocabulary: Vocabulary): SessionVocabulary {
  const before = known.get(vocabulary);
  if (before) return before;
  const { end = [] } = vocabulary.classes ?? {};
  const ends = new Set(end);
  const id = ++count;
  let given: EngineVocabulary | undefined;
  const session: SessionVocabulary = {
    id,
    size: textsOf(vocabulary).length,
    isEnd: (token) => ends.has(token),
    // each start of a thread needs it
    texts: () => (given ??= { id, ends: end, ...tokenBytes(vocabulary) }),
  };
  known.set(vocabulary, session);
  return session;
}

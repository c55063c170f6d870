/** Opens grammars over a vocabulary, with the engine that the table of sources names. */
import { InputError } from "../errors.js";
import { textsOf, type Vocabulary } from "../features/vocabulary.js";
import { nameOf, route, type Routed } from "./sources.js";
import type { GrammarSource, GrammarState } from "./types.js";
import type { Client } from "./xgrammar/client.js";
import type { EngineVocabulary } from "./xgrammar/engine.js";
import { openSession, type SessionVocabulary } from "./xgrammar/session.js";

export interface GrammarPlace {
  readonly vocabulary: Vocabulary;
  /** Opens a GBNF grammar with llama.cpp's engine; absent without a model. Throws `InputError` with llama.cpp's message. */
  readonly openLlama?: (gbnf: string) => GrammarState;
  /** Positions are computed in this thread, which waits for them. */
  readonly now: boolean;
  /** XGrammar, if not the one for this thread. */
  readonly client?: Client;
}

/** Throws `InputError` for a source that is not right; what only the engine finds is an error of the first position. */
export function openGrammar(source: GrammarSource, { vocabulary, openLlama, ...rest }: GrammarPlace): GrammarState {
  const routed = routedOf(source, openLlama);
  const name = nameOf(source);
  if (routed.engine === "xgrammar") {
    const naming = (message: string): string => `${name} cannot be used: ${message}`;
    return openSession({ vocabulary: sessionVocabulary(vocabulary), grammar: routed.grammar, naming, ...rest });
  }
  if (openLlama) return openLlama(routed.gbnf);
  throw new InputError(`${name} has ${routed.because}: that needs a model`, { code: "UNSUPPORTED" });
}

/** llama.cpp's message for a fault is used where llama.cpp is there. */
function routedOf(source: GrammarSource, openLlama: GrammarPlace["openLlama"]): Routed {
  try {
    return route(source);
  } catch (error) {
    const isSyntax = error instanceof InputError && error.code === "INVALID_ARGUMENT";
    if (isSyntax && openLlama && "gbnf" in source && typeof source.gbnf === "string") openLlama(source.gbnf);
    throw error;
  }
}

const known = new WeakMap<Vocabulary, SessionVocabulary>();
let count = 0;

function sessionVocabulary(vocabulary: Vocabulary): SessionVocabulary {
  const before = known.get(vocabulary);
  if (before) return before;
  const { control = [], end = [] } = vocabulary.classes ?? {};
  const ends = new Set(end);
  const never = new Set([...control, ...end]);
  const texts = textsOf(vocabulary);
  const id = ++count;
  const session: SessionVocabulary = {
    ...{ id, size: texts.length, isEnd: (token) => ends.has(token) },
    // it is needed once for each start of the engine
    texts: () => ({ id, ends: end, ...bytesOf(texts, never) }),
  };
  known.set(vocabulary, session);
  return session;
}

/** A zero byte at the beginning, which llama.cpp refuses, too, or a byte that is in no text in UTF-8. */
const NEVER = /^\0|[\xc0\xc1\xf5-\xff]/;

/** The texts without those that never come, and without those of control tokens. */
function bytesOf(texts: readonly string[], never: ReadonlySet<number>): Pick<EngineVocabulary, "bytes" | "offsets"> {
  const offsets = new Int32Array(texts.length + 1);
  const comes = (token: number, text: string): boolean => !never.has(token) && !NEVER.test(text);
  for (const [token, text] of texts.entries())
    offsets[token + 1] = offsets[token]! + (comes(token, text) ? text.length : 0);
  const bytes = new Uint8Array(offsets[texts.length]!);
  for (const [token, text] of texts.entries()) {
    const at = offsets[token]!;
    for (let i = offsets[token + 1]! - at; i-- > 0;) bytes[at + i] = text.charCodeAt(i);
  }
  return { bytes, offsets };
}

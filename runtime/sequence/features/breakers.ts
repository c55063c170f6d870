/**
 * Converts text breakers to token sequences, for every way in which the text can begin inside a token. One pass over the
 * vocabulary finds all texts at once (Aho and Corasick), so the work is linear in the text of the vocabulary.
 */
import { automaton, longestText, step, type State } from "./automaton.js";
import { tailsFrom, type Breakers, type Tails } from "./repeats.js";
import { Cache } from "../../core/cache.js";
import { toBytes, type Vocabulary } from "../../core/vocabulary.js";

/** As in llama.cpp: longer breakers and longer tails are truncated. */
const MAX_TEXT = 40;
const MAX_TAIL = 20;

/** Lists of breakers that are kept for each vocabulary. */
const MAX_KEPT = 16;
const kept = new WeakMap<Vocabulary, Cache<Breakers>>();

/** A number is the id of a token that is a breaker by itself; texts need a vocabulary. Each list is prepared once. */
export function breakersOf(given: readonly (string | number)[], vocabulary: Vocabulary | undefined): Breakers {
  const singles = given.filter((breaker) => typeof breaker === "number");
  const texts = given.filter((breaker) => typeof breaker === "string");
  if (!vocabulary || texts.length === 0) return new Map(singles.map((token) => [token, [NO_TAIL]]));
  const lists = kept.get(vocabulary) ?? new Cache<Breakers>(MAX_KEPT);
  kept.set(vocabulary, lists);
  return lists.getOrMake(JSON.stringify(given), () => prepare(texts, singles, vocabulary));
}

/** For a token that is a breaker by itself, or contains one. */
const NO_TAIL = tailsFrom([new Int32Array()]);

function prepare(texts: readonly string[], singles: readonly number[], vocabulary: Vocabulary): Breakers {
  const wanted = [...new Set(texts.map((text) => toBytes(text).slice(0, MAX_TEXT)))].filter((text) => text !== "");
  const root = automaton(wanted);
  const found = new Map<number, readonly Tails[]>();
  const tailsOf = tokenizer(vocabulary, restsOf(root, wanted));
  vocabulary.pieces.forEach((piece, token) => {
    const { end, contained } = search(root, piece);
    const tails = tailsOf(end, contained);
    if (tails.length > 0) found.set(token, tails);
  });
  for (const token of singles) found.set(token, [NO_TAIL, ...(found.get(token) ?? [])]);
  return found;
}

/** Of each state, the texts that go on there, and what is left of them. */
type Rests = ReadonlyMap<State, ReadonlyMap<string, string>>;

function restsOf(root: State, texts: readonly string[]): Rests {
  const rests = new Map<State, Map<string, string>>();
  for (const text of texts) {
    let state = root;
    for (let i = 1; i < text.length; i++) {
      state = state.next.get(text.charCodeAt(i - 1))!;
      const own = rests.get(state) ?? new Map<string, string>();
      rests.set(state, own.set(text, text.slice(i)));
    }
  }
  return rests;
}

const NONE: ReadonlySet<string> = new Set();
const NO_RESTS: ReadonlyMap<string, string> = new Map();

/** The state at the end of a token's text, and the texts that it contains. */
function search(root: State, piece: string): { end: State; contained: ReadonlySet<string> } {
  let state = root;
  let contained: Set<string> | undefined;
  for (let i = 0; i < piece.length; i++) {
    state = step(state, piece.charCodeAt(i));
    // a text that was found before was found with all its suffixes
    for (let text = longestText(state); text && !contained?.has(text.text!); text = text.shorter)
      (contained ??= new Set()).add(text.text!);
  }
  return { end: state, contained: contained ?? NONE };
}

/**
 * The tails after a token. Each state's own are made once, so that their size follows that of the texts, however many tokens end
 * in it.
 */
function tokenizer(
  vocabulary: Vocabulary,
  restsBy: Rests,
): (end: State, contained: ReadonlySet<string>) => readonly Tails[] {
  const tokens = new Map<string, Int32Array>();
  const tokenize = (rest: string): Int32Array => {
    const known = tokens.get(rest) ?? vocabulary.tokenize(rest).slice(0, MAX_TAIL);
    tokens.set(rest, known);
    return known;
  };
  const made = new Map<State, Map<string, Tails>>();
  /** The tails of one state, without those of texts that the token contains: these are not looked for at its end. */
  const ownTails = (state: State, contained: ReadonlySet<string>): Tails => {
    const left = restsBy.get(state) ?? NO_RESTS;
    const skipped = [...contained].filter((text) => left.has(text)).sort();
    const lists = made.get(state) ?? new Map<string, Tails>();
    made.set(state, lists);
    const key = JSON.stringify(skipped);
    const rests = (): string[] => [...left].flatMap(([text, rest]) => (contained.has(text) ? [] : rest));
    const tails = lists.get(key) ?? tailsFrom(distinct([...new Set(rests())].map(tokenize)));
    lists.set(key, tails);
    return tails;
  };
  const tailsAt = (end: State, contained: ReadonlySet<string>): readonly Tails[] => {
    const all: Tails[] = contained.size > 0 ? [NO_TAIL] : [];
    for (let state: State | undefined = end; state && state.length > 0; state = state.suffix) {
      const tails = ownTails(state, contained);
      if (tails.list.length > 0) all.push(tails);
    }
    return all;
  };
  // many tokens end in the same state and contain the same texts
  const known = new Map<State, Map<string, readonly Tails[]>>();
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  return (end, contained) => {
    const lists = known.get(end) ?? new Map<string, readonly Tails[]>();
    known.set(end, lists);
    const key = Array.from(contained, numberOf).join();
    const tails = lists.get(key) ?? tailsAt(end, contained);
    lists.set(key, tails);
    return tails;
  };
}

const distinct = (tails: readonly Int32Array[]): readonly Int32Array[] => [
  ...new Map(tails.map((tail) => [tail.join(), tail])).values(),
];

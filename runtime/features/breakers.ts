/**
 * Converts text breakers to token sequences, for every way in which the text can begin inside a token. One pass over the
 * vocabulary finds all texts at once (Aho and Corasick), so the work is linear in the text of the vocabulary.
 */
import { tailsFrom, type Breakers, type Tails } from "./repeats.js";
import { toBytes, type Vocabulary } from "./vocabulary.js";

/** As in llama.cpp: longer breakers and longer tails are truncated. */
const MAX_TEXT = 40;
const MAX_TAIL = 20;

/** Lists of breakers that are kept for each vocabulary. */
const MAX_KEPT = 16;
const kept = new WeakMap<Vocabulary, Map<string, Breakers>>();

/** A number is the id of a token that is a breaker by itself; texts need a vocabulary. Each list is prepared once. */
export function breakersOf(given: readonly (string | number)[], vocabulary: Vocabulary | undefined): Breakers {
  const singles = given.filter((breaker) => typeof breaker === "number");
  const texts = given.filter((breaker) => typeof breaker === "string");
  if (!vocabulary || texts.length === 0) return new Map(singles.map((token) => [token, [NO_TAIL]]));
  const lists = kept.get(vocabulary) ?? new Map<string, Breakers>();
  kept.set(vocabulary, lists);
  const key = JSON.stringify(given);
  const known = lists.get(key);
  if (known) return known;
  const made = prepare(texts, singles, vocabulary);
  if (lists.size === MAX_KEPT) lists.delete(lists.keys().next().value!);
  lists.set(key, made);
  return made;
}

/** For a token that is a breaker by itself, or contains one. */
const NO_TAIL = tailsFrom([new Int32Array()]);

function prepare(texts: readonly string[], singles: readonly number[], vocabulary: Vocabulary): Breakers {
  const root = automaton(
    [...new Set(texts.map((text) => toBytes(text).slice(0, MAX_TEXT)))].filter((text) => text !== ""),
  );
  const found = new Map<number, readonly Tails[]>();
  const tailsOf = tokenizer(vocabulary);
  vocabulary.pieces.forEach((piece, token) => {
    const { end, contained } = search(root, piece);
    const tails = tailsOf(end, contained);
    if (tails.length > 0) found.set(token, tails);
  });
  for (const token of singles) found.set(token, [NO_TAIL, ...(found.get(token) ?? [])]);
  return found;
}

// ---------------------------------------------------------------- the automaton

/** The beginning of some texts. */
interface State {
  readonly length: number;
  readonly next: Map<number, State>;
  /** The longest proper suffix that is also a beginning of a text; undefined for the empty one. */
  suffix: State | undefined;
  /** The texts that go on here, and what is left of them. */
  readonly rests: Map<string, string>;
  /** The text that ends here. */
  text: string | undefined;
  /** The longest proper suffix that is a text. */
  shorter: State | undefined;
}

const newState = (length: number): State => ({
  length,
  next: new Map(),
  suffix: undefined,
  rests: new Map(),
  text: undefined,
  shorter: undefined,
});

function automaton(texts: readonly string[]): State {
  const root = newState(0);
  for (const text of texts) {
    let state = root;
    for (let i = 0; i < text.length; i++) {
      if (i > 0) state.rests.set(text, text.slice(i));
      const code = text.charCodeAt(i);
      const next = state.next.get(code) ?? newState(i + 1);
      state.next.set(code, next);
      state = next;
    }
    state.text = text;
  }
  // shorter states first: the suffixes of a state's children come from its own
  const open = [root];
  for (const state of open)
    for (const [code, next] of state.next) {
      next.suffix = state === root ? root : step(state.suffix!, code);
      next.shorter = next.suffix.text === undefined ? next.suffix.shorter : next.suffix;
      open.push(next);
    }
  return root;
}

/** The longest suffix of what was read, with one more character, that is a beginning of a text. */
function step(from: State, code: number): State {
  let state: State | undefined = from;
  let last = from;
  while (state) {
    const next = state.next.get(code);
    if (next) return next;
    last = state;
    state = state.suffix;
  }
  return last;
}

const NONE: ReadonlySet<string> = new Set();

/** The state at the end of a token's text, and the texts that it contains. */
function search(root: State, piece: string): { end: State; contained: ReadonlySet<string> } {
  let state = root;
  let contained: Set<string> | undefined;
  for (let i = 0; i < piece.length; i++) {
    state = step(state, piece.charCodeAt(i));
    // a text that was found before was found with all its suffixes
    for (
      let text = state.text === undefined ? state.shorter : state;
      text && !contained?.has(text.text!);
      text = text.shorter
    )
      (contained ??= new Set()).add(text.text!);
  }
  return { end: state, contained: contained ?? NONE };
}

/**
 * The tails after a token. Each state's own are made once, so that their size follows that of the texts, however many tokens end
 * in it.
 */
function tokenizer(vocabulary: Vocabulary): (end: State, contained: ReadonlySet<string>) => readonly Tails[] {
  const tokens = new Map<string, Int32Array>();
  const tokenize = (rest: string): Int32Array => {
    const known = tokens.get(rest) ?? vocabulary.tokenize(rest).slice(0, MAX_TAIL);
    tokens.set(rest, known);
    return known;
  };
  const made = new Map<State, Map<string, Tails>>();
  /** The tails of one state, without those of texts that the token contains: these are not looked for at its end. */
  const ownTails = (state: State, contained: ReadonlySet<string>): Tails => {
    const skipped = [...contained].filter((text) => state.rests.has(text)).sort();
    const lists = made.get(state) ?? new Map<string, Tails>();
    made.set(state, lists);
    const key = JSON.stringify(skipped);
    const rests = (): string[] => [...state.rests].flatMap(([text, rest]) => (contained.has(text) ? [] : rest));
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

/** Finds many texts at once, in one pass (Aho and Corasick). Texts are strings with a byte a character. */

/** The beginning of some texts. */
export interface State {
  readonly length: number;
  readonly next: Map<number, State>;
  /** The longest proper suffix that is also a beginning of a text; undefined for the empty one. */
  suffix: State | undefined;
  /** The text that ends here. */
  text: string | undefined;
  /** The longest proper suffix that is a text. */
  shorter: State | undefined;
}

const newState = (length: number): State => ({
  length,
  next: new Map(),
  suffix: undefined,
  text: undefined,
  shorter: undefined,
});

/** The automaton of some texts, none of them empty, at its beginning. */
export function automaton(texts: readonly string[]): State {
  const root = newState(0);
  for (const text of texts) {
    let state = root;
    for (let i = 0; i < text.length; i++) {
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
export function step(from: State, code: number): State {
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

/** The longest text that ends here. */
export const longestText = (state: State): State | undefined => (state.text === undefined ? state.shorter : state);

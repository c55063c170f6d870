/** The engine of grammars as the addon (native/addon/automaton_object.h) and the WebAssembly modules (native/wasm/automaton.cc) have it. */

/** The texts of a vocabulary's tokens; it has no members. */
export type TokenTrie = object;

/** A grammar over a vocabulary: what is worked out for one of its texts is there for all. */
export interface Automaton {
  /** Of what it keeps to be quicker, after the latest call that is over. It begins anew where that becomes too much. */
  readonly bytes: number;
  /** The beginning of a text. */
  begin(): AutomatonPosition;
  /**
   * Frees it before the collector does, or with the last of its positions; harmless when called twice. Absent where the collector knows its
   * memory.
   */
  dispose?(): void;
}

/** A place in a text; it never changes, and several texts can go on from it. */
export interface AutomatonPosition {
  /** Whether the text may end here. */
  readonly mayEnd: boolean;
  /** A bit for each mark of the grammar: whether the next byte may be of its part. */
  readonly marks: number;
  /**
   * Sets the bit of each token that may come next, lowest bit first, and clears the others: ceil(V/32) words. End-of-text tokens may come
   * where the text may end. Throws LIMIT_EXCEEDED.
   */
  allowed(bits: Uint32Array): void;
  /** The position after a token; undefined for one that may not come next. Throws LIMIT_EXCEEDED. */
  after(token: number): AutomatonPosition | undefined;
  /** The same as for an automaton. Others that came from it stay valid. */
  dispose?(): void;
}

export interface AutomatonBinding {
  /**
   * The text of token i is from `offsets[i]` to `offsets[i + 1]`, empty for one that comes only where a grammar names it; `ends` come where
   * a text may end, and nowhere else. Throws INVALID_ARGUMENT, LIMIT_EXCEEDED.
   */
  readonly TokenTrie: new (bytes: Uint8Array, offsets: Uint32Array, ends: Uint32Array) => TokenTrie;
  /** @param words as `wordsFor` gives them. Throws INVALID_ARGUMENT for damaged ones, LIMIT_EXCEEDED. */
  readonly Automaton: new (trie: TokenTrie, words: Uint32Array) => Automaton;
}

/**
 * What only the addon has. One call of an automaton at a time works: the plain ones wait for another, for up to a second. Those that are
 * quick never wait and take about a millisecond at most; those for later work on another thread. Automata do not wait for each other.
 */
export interface ThreadedAutomatonBinding extends AutomatonBinding {
  readonly Automaton: new (trie: TokenTrie, words: Uint32Array) => ThreadedAutomaton;
  /** Copies the words, and reads them on another thread. Rejects as the constructor throws. */
  openAutomaton(trie: TokenTrie, words: Uint32Array): Promise<ThreadedAutomaton>;
}

export type AnyAutomatonBinding = AutomatonBinding | ThreadedAutomatonBinding;

export interface ThreadedAutomaton extends Automaton {
  begin(): ThreadedPosition;
}

export interface ThreadedPosition extends AutomatonPosition {
  after(token: number): ThreadedPosition | undefined;
  /** False if it is not done, as while another call works: the bits then have no meaning. Throws INVALID_ARGUMENT alone. */
  allowedQuickly(bits: Uint32Array): boolean;
  /** Null if it is not done. Throws INVALID_ARGUMENT alone. */
  afterQuickly(token: number): ThreadedPosition | undefined | null;
  /** The bits of `allowed`. Rejects with LIMIT_EXCEEDED. */
  allowedLater(): Promise<Uint32Array>;
  /** Rejects with LIMIT_EXCEEDED. */
  afterLater(token: number): Promise<ThreadedPosition | undefined>;
}

/** Whether grammars may work on other threads. */
export const hasThreads = (binding: AutomatonBinding): binding is ThreadedAutomatonBinding =>
  "openAutomaton" in binding;

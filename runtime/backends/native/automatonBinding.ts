/** The engine of grammars as the addon (native/addon/automaton_object.h) and the WebAssembly modules (native/wasm/automaton.cc) have it. */

/** The texts of a vocabulary's tokens; it has no members. */
export type TokenTrie = object;

/** A grammar over a vocabulary: what is worked out for one of its texts is there for all. */
export interface Automaton {
  /** The beginning of a text. Throws LIMIT_EXCEEDED. */
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
   * The text of token i is from `offsets[i]` to `offsets[i + 1]`, empty for one that never comes next; `ends` come where a text may end.
   * Throws INVALID_ARGUMENT, LIMIT_EXCEEDED.
   */
  readonly TokenTrie: new (bytes: Uint8Array, offsets: Uint32Array, ends: Uint32Array) => TokenTrie;
  /** @param words as `wordsOfRules` writes them. Throws INVALID_ARGUMENT for damaged ones, LIMIT_EXCEEDED. */
  readonly Automaton: new (trie: TokenTrie, words: Uint32Array) => Automaton;
}

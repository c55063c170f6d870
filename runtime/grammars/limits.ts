/** What a grammar may cost. No setting raises these limits; docs/security.md lists them. */
export const GRAMMAR_LIMITS = {
  /** Characters of a grammar, a schema or a pattern; all choices together. */
  length: 2 ** 18,
  /** Levels of groups, of schemas in schemas, and of tags in tags. */
  depth: 40,
  rules: 4000,
  /** Rules, groups and repeated items of a grammar; values of a schema. */
  parts: 20_000,
  /** The most of a repetition that has bounds. */
  repetitions: 2000,
  /** Milliseconds to prepare a grammar for a vocabulary, off the main thread. */
  prepareMilliseconds: 10_000,
  /** Milliseconds for the tokens that may come next, off the main thread. */
  stepMilliseconds: 2000,
  /** Bytes of an engine's memory: all vocabularies, grammars and positions. */
  memoryBytes: 2 ** 29,
  /** Prepared grammars that are kept for each vocabulary. */
  prepared: 32,
  /** Vocabularies that are kept prepared. */
  vocabularies: 4,
  /** Positions that one request prepares. */
  path: 256,
} as const;

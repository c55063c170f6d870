/** What a grammar may cost. No setting raises these limits; docs/security.md lists them. */
export const GRAMMAR_LIMITS = {
  /** Characters of a grammar, a schema or a pattern; all choices together. */
  length: 2 ** 18,
  /** Characters of a grammar for llama.cpp's engine, which reads it on the thread that asks: about 50 ms at most. */
  llamaLength: 2 ** 15,
  /** Levels of groups, of schemas in schemas, and of tags in tags. */
  depth: 40,
  rules: 4000,
  /** What is looked at and written when a source is read: parts, rules, characters. */
  steps: 800_000,
  /** Rules, groups and repeated items of a grammar; values of a schema. */
  parts: 20_000,
  /** The most of a repetition that has bounds. */
  repetitions: 2000,
  /** Milliseconds of a first try to prepare a grammar for a vocabulary, in a thread that all lanes share. */
  quickMilliseconds: 250,
  /** Milliseconds that a prepared grammar of a thread of many texts may have taken. */
  cheapMilliseconds: 200,
  /** Milliseconds to prepare a grammar for a vocabulary. */
  prepareMilliseconds: 10_000,
  /** Milliseconds for the tokens that may come next, in a thread of many texts: a text that needs more goes on in another. */
  quickStepMilliseconds: 250,
  /** Milliseconds for the tokens that may come next. */
  stepMilliseconds: 2000,
  /** Milliseconds that a lane counts as one with expensive grammars after it has had one. */
  lateMilliseconds: 60_000,
  /** Grammars of a lane that wait to be prepared, and of all lanes. */
  waitingOfLane: 32,
  waiting: 256,
  /** Bytes of an engine's memory in a thread that prepares grammars, and in one that follows texts: all vocabularies, grammars and positions. */
  preparingBytes: 2 ** 28,
  followingBytes: 2 ** 29,
  /** Megabytes of the heap of a thread: sources, and what is made of them. */
  heapMegabytes: 256,
  /** Grammars whose outcome is remembered, and their characters. */
  known: 1024,
  knownCharacters: 2 ** 25,
  /** Prepared grammars that are kept for each vocabulary. */
  prepared: 32,
  /** Vocabularies that are kept prepared. */
  vocabularies: 4,
  /** Positions that one request prepares. */
  path: 256,
} as const;

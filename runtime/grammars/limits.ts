/** What a grammar may cost. No setting raises these limits; docs/security.md lists them. */
export const GRAMMAR_LIMITS = {
  /** Characters of a grammar, a schema or a pattern; all choices together. */
  length: 2 ** 18,
  /** Levels of groups, of schemas in schemas, and of tags in tags. */
  depth: 40,
  rules: 4000,
  /** What is looked at and written when a source is read: parts, rules, characters. */
  steps: 800_000,
  /** Rules, groups and repeated items of a grammar; values of a schema. */
  parts: 20_000,
  /** The most of a repetition that has bounds. */
  repetitions: 2000,
  /** Milliseconds of a first try to read a source, in a thread that all lanes share. */
  quickMilliseconds: 250,
  /** Milliseconds to read a source. */
  prepareMilliseconds: 10_000,
  /** Milliseconds that a lane counts as one with expensive grammars after it has had one. */
  lateMilliseconds: 60_000,
  /** Grammars of a lane that wait to be prepared, and of all lanes. */
  waitingOfLane: 32,
  waiting: 256,
  /** Megabytes of the heap of a thread: sources, and what is made of them. */
  heapMegabytes: 256,
  /** Sources whose outcome is remembered, and their bytes. */
  known: 1024,
  knownBytes: 2 ** 25,
  /** Grammars that are kept for the next text, for each vocabulary, and their bytes. */
  kept: 64,
  keptBytes: 2 ** 28,
  /** Tokens of so many texts are worked out in other threads at once. */
  workers: 2,
} as const;

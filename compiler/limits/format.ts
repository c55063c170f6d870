/** Limits of the graph form: no valid graph or spec exceeds them, and no setting raises them. */
export const LIMITS = {
  nodes: 20_000,
  params: 4096,
  uniforms: 4096,
  draws: 256,
  states: 256,
  measures: 256,
  stops: 64,
  windows: 64,
  /** Rules of grammars that a program asks about. */
  rules: 32,
  /** Texts that a program writes. */
  writes: 16,
  inputs: 256,
  features: 256,
  sets: 256,
  tail: 256,
  stages: 4096,
  dim: 2 ** 24,
  /** Characters of a name. */
  name: 10_000,
  /** Tokens of a window over a scalar. */
  window: 4096,
  /** Characters of the name of a stop. */
  stopName: 100,
  /** Characters of the name of such a rule. */
  ruleName: 100,
  /** Characters of a text that a program writes. */
  written: 4096,
  /** Characters of a text, such as a grammar. */
  text: 2 ** 20,
  /** Entries of a list of breakers, and of a set of tokens. */
  list: 4096,
  /** Characters of a text, or ids of a list, that the end of the text is compared with. */
  ending: 1024,
  /** Characters of a pattern, and steps of what it is compiled to. */
  pattern: 1000,
  patternSize: 10_000,
  /** Operations and leaves of all uniform expressions together; each character or id of an ending counts as one. */
  uniformParts: 65_536,
  uniformDepth: 64,
  /** Characters of a spec file. */
  spec: 2 ** 26,
} as const;

/** The message of an exceeded limit. */
import type { LimitName } from "./limits.js";

/** What each limit counts. */
const COUNTED: Readonly<Record<Exclude<LimitName, "diagnostics" | "vocabSize">, string>> = {
  sourceLength: "characters in this file",
  tokens: "tokens in this file",
  nameLength: "characters in this name",
  files: "files in this program",
  steps: "steps to compile this program",
  textLength: "characters in this text",
  breakers: "breakers in this list",
  stages: "stages in this chain",
  nodes: "nodes in this graph",
  params: "parameters of this chain",
  uniforms: "uniforms in this graph",
  uniformParts: "parts of uniform expressions",
  draws: "draws in this graph",
  states: "states in this graph",
  measures: "measures in this graph",
  windows: "windows over scalars in this graph",
  writes: "texts that are written in this graph",
  rules: "rules of grammars that are asked about in this graph",
  stops: "conditions that end a text in this graph",
  inputs: "inputs of this graph",
  features: "features of this graph",
  sets: "sets of tokens in this graph",
  setItems: "entries in this set of tokens",
  tail: "tail stages in this chain",
  work: "rows to compute for a token",
  sorts: "sorts of the vocabulary for a token",
  deviceBytes: "bytes of device memory for a sequence",
  hostBytes: "bytes of memory for the host tail and windows",
};

export type CountedLimit = keyof typeof COUNTED;

/** The message of an exceeded limit; `found` is absent if it was not counted to the end. */
export const exceeds = (limit: CountedLimit, allowed: number, found?: number): string =>
  `too many ${COUNTED[limit]}: at most ${allowed} are allowed${found === undefined ? "" : `, found ${found}`}`;

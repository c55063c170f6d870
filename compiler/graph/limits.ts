/** Limits that keep an untrusted graph from crashing the host. */
import type { Dim } from "./graph.js";

export const LIMITS = {
  nodes: 20_000,
  params: 4096,
  uniforms: 4096,
  draws: 256,
  states: 256,
  inputs: 256,
  features: 256,
  tail: 256,
  stages: 4096,
  dim: 2 ** 24,
  /** Characters of a name. */
  name: 10_000,
  /** Characters of a text, such as a grammar: the same as for a program. */
  text: 2 ** 20,
  /** Entries of a list of breakers. */
  list: 4096,
  /** Operations and leaves of all uniform expressions together. */
  uniformParts: 65_536,
  uniformDepth: 64,
  /** Characters of a spec file. */
  spec: 2 ** 26,
} as const;

export const isDim = (dim: unknown): dim is Dim =>
  dim === "V" || (Number.isInteger(dim) && (dim as number) >= 1 && (dim as number) <= LIMITS.dim);

export const isFiniteF32 = (x: unknown): x is number => typeof x === "number" && Number.isFinite(Math.fround(x));

const isTextOf =
  (length: number) =>
  (x: unknown): x is string =>
    typeof x === "string" && x.length <= length;
export const isName = isTextOf(LIMITS.name);
export const isText = isTextOf(LIMITS.text);

/** Whether `x` is a list of texts and token ids. */
export const isBreakers = (x: unknown): x is (string | number)[] =>
  Array.isArray(x) && x.length <= LIMITS.list && x.every((b) => isText(b) || isToken(b));

const isToken = (x: unknown): boolean => Number.isInteger(x) && (x as number) >= 0 && (x as number) < 2 ** 31;

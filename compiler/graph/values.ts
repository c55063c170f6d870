/** Which values of an untrusted graph are valid. */
import { LIMITS } from "../limits/format.js";
import type { Dim, Ending, TextSource, TokenSequence } from "./graph.js";

export const isDim = (dim: unknown): dim is Dim =>
  dim === "V" || (Number.isInteger(dim) && (dim as number) >= 1 && (dim as number) <= LIMITS.dim);

export const isFiniteF32 = (x: unknown): x is number => typeof x === "number" && Number.isFinite(Math.fround(x));

const isTextOf =
  (length: number) =>
  (x: unknown): x is string =>
    typeof x === "string" && x.length <= length;
export const isName = isTextOf(LIMITS.name);
/** Whether `x` can be the size of a window. */
export const isWindowSize = (x: unknown): x is number =>
  Number.isInteger(x) && (x as number) >= 1 && (x as number) <= LIMITS.window;
/** Whether `x` can be the name of a stop. */
export const isStopName = (x: unknown): x is string => isTextOf(LIMITS.stopName)(x) && x !== "";
/** Whether `x` can be written. */
export const isWritten = (x: unknown): x is string => isTextOf(LIMITS.written)(x) && x !== "";
export const isText = isTextOf(LIMITS.text);

/** Whether `x` is a list of texts and token ids. */
export const isBreakers = (x: unknown): x is (string | number)[] =>
  Array.isArray(x) && x.length <= LIMITS.list && x.every((b) => isText(b) || isToken(b));

export const isTextSource = (x: unknown): x is TextSource => {
  if (x === "prompt" || x === "generated") return true;
  if (typeof x !== "object" || x === null || Object.keys(x).sort().join() !== "capacity,input") return false;
  const { input, capacity } = x as Readonly<Record<string, unknown>>;
  return isName(input) && capacity !== "V" && isDim(capacity);
};

/** Whether `x` is a list of texts, token ids and lists of token ids. */
export const isSequences = (x: unknown): x is TokenSequence[] =>
  Array.isArray(x) && x.length <= LIMITS.list && x.every((entry) => isToken(entry) || isEnding(entry));

/** Whether `x` is a text or a list of token ids that a text may end with. */
export const isEnding = (x: unknown): x is Ending =>
  (typeof x === "string" || (Array.isArray(x) && x.every(isToken))) && x.length >= 1 && x.length <= LIMITS.ending;

export const isToken = (x: unknown): x is number =>
  Number.isInteger(x) && (x as number) >= 0 && (x as number) < 2 ** 31;

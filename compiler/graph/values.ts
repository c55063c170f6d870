/** Which values of an untrusted graph are valid. */
import { LIMITS } from "../limits/format.js";
import type { Dim } from "./graph.js";

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

export const isToken = (x: unknown): boolean => Number.isInteger(x) && (x as number) >= 0 && (x as number) < 2 ** 31;

/** Values of parameters, mostly edge values. */
import * as fc from "fast-check";
import type { ScalarType } from "../../compiler/syntax/ast.js";

export type Arg = number | readonly (number | readonly number[])[];
export type Args = Readonly<Record<string, Arg>>;

/** A parameter that is a number. */
export const numberOf = (args: Args, name: string): number => args[name] as number;

export interface ParamSpec {
  readonly type: Exclude<ScalarType, "text" | "grammar">;
  /** A static parameter determines the graph, so it cannot be a uniform. */
  readonly isStatic?: true;
  readonly values: fc.Arbitrary<Arg>;
}

const oneOf = (edges: readonly number[], others: fc.Arbitrary<number>): fc.Arbitrary<number> =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...edges) }, { weight: 4, arbitrary: others });

/** An argument as text. */
export function literal(type: ParamSpec["type"], arg: Arg): string {
  if (typeof arg !== "number" && type === "phrases")
    return `phrases(${arg.map((one) => `"t${String(one)}"`).join(", ")})`;
  if (typeof arg !== "number") return type === "tokens" ? `tokens(${arg.join(", ")})` : JSON.stringify(arg);
  return type === "bool" ? String(arg !== 0) : String(arg);
}

/** llama.cpp's parameters are f32. */
const real = (min: number, max: number): fc.Arbitrary<number> =>
  fc.float({ min: Math.fround(min), max: Math.fround(max), noNaN: true });

/** An f32 in a range, or one of the edge values. */
export const f32 = (min: number, max: number, ...edges: number[]): ParamSpec => ({
  type: "f32",
  values: edges.length > 0 ? oneOf(edges, real(min, max)) : real(min, max),
});

/** Few values, because each needs its own graph. */
export const statics = (...values: number[]): ParamSpec => ({
  type: "i32",
  isStatic: true,
  values: fc.constantFrom(...values),
});

export const i32 = (values: fc.Arbitrary<number>): ParamSpec => ({ type: "i32", values });

export const seed: ParamSpec = {
  type: "seed",
  values: oneOf([0, 1, 42, 2 ** 32 - 2], fc.integer({ min: 0, max: 2 ** 32 - 2 })),
};

const staticTokens = (type: "list" | "tokens" | "phrases", ...values: Arg[]): ParamSpec => ({
  type,
  isStatic: true,
  values: fc.constantFrom(...values),
});

/** Breakers, some beyond a small vocabulary. */
const breakers = staticTokens("list", [], [0], [1], [2, 5], [0, 7, 40]);
/** What a text may end with, in the smallest vocabulary. */
const endings = staticTokens("list", [0], [1], [0, 1], [1, 1, 0]);
const sequences = staticTokens("list", [], [0], [1, [0, 1]], [[1, 0], [1, 1, 0], 0, [0, 0]]);

/** Lists of tokens, by the function that takes them. */
export const LISTS: Readonly<Record<string, ParamSpec>> = {
  repeat_len: breakers,
  completes: sequences,
  ends_with: endings,
  since: endings,
  inside: endings,
};

/** Texts that begin with t. */
export const phraseLists = staticTokens("phrases", [], [0], [1, 2]);
export const tokenSets = staticTokens("tokens", [], [0], [1], [0, 1]);

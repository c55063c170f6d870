/** The table of uniform operations: every result lies within its bounds. */
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  applyUniformOp,
  UNIFORM_OPS,
  uniformRange,
  uniformOpRule,
  type UniformOp,
  type UniformOpRule,
} from "../../compiler/graph/uniformOps.js";
import { F32_MAX, F32_MIN, type Interval } from "../../compiler/graph/interval.js";

/** Zeros, integers, the smallest and the largest numbers, and numbers in between. */
const numbers = fc.oneof(
  fc.constantFrom(...[0, -0, 1, -1, 2, -2, 0.5, -0.5, 3, 7, -7, 1e-40, -1e-40, 2 ** -149, Number.MIN_VALUE]),
  fc.constantFrom(...[F32_MIN, -F32_MIN, F32_MAX, -F32_MAX, 2 ** 24, 2 ** 53, 88, -88, 104, 710, -746]),
  fc.integer({ min: -5, max: 5 }),
  fc.double({ min: -10, max: 10, noNaN: true }),
  fc.double({ min: -F32_MAX, max: F32_MAX, noNaN: true }),
);

interface Operand {
  readonly range: Interval;
  readonly x: number;
}

/** Bounds, and a number within them, often equal to one. */
const operands: fc.Arbitrary<Operand> = fc
  .tuple(numbers, numbers, fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })), numbers)
  .map(([a, b, share, other]) => {
    const [lo, hi] = [Math.min(a, b), Math.max(a, b)];
    const x = lo <= other && other <= hi ? other : lo + share * (hi - lo);
    return { range: { lo, hi }, x: Math.min(Math.max(x, lo), hi) };
  });

describe.each(Object.keys(UNIFORM_OPS) as UniformOp[])("%s", (op) => {
  const { arity, identity } = uniformOpRule(op);

  test("its result lies within the finite bounds that its operands' bounds give", () => {
    fc.assert(
      fc.property(fc.array(operands, { minLength: arity, maxLength: arity }), (given) => {
        const { lo, hi } = uniformRange(
          op,
          given.map((o) => o.range),
        );
        const result = applyUniformOp(
          op,
          given.map((o) => o.x),
        );
        return -F32_MAX <= lo && lo <= result && result <= hi && hi <= F32_MAX;
      }),
      { numRuns: 2000, seed: 20240517 },
    );
  });

  if (identity !== undefined)
    test(`${identity} as its second operand changes nothing`, () => {
      fc.assert(
        fc.property(numbers, (x) => applyUniformOp(op, [x, identity]) === x),
        { seed: 7 },
      );
    });
});

test("an operation without bounds is refused by the compiler", () => {
  // @ts-expect-error a cosine is not monotonic, so its bounds have no default
  const cosine: UniformOpRule = { arity: 1, apply: Math.cos };
  expect(cosine.apply(0)).toBe(1);
});

/**
 * The table of uniform operations, on numbers and, like `OPS` for columns, on intervals. Arithmetic is f64 with the language's
 * rules: results saturate at the largest finite f32, and a divisor of 0 counts as the smallest normal f32, so no result is
 * NaN. Conditions are 1 and 0; any nonzero number is true.
 */
import * as I from "./interval.js";
import type { Interval } from "./interval.js";
import { HASH_RANGE, hashInteger, mix } from "./hash.js";

export interface UniformOpRule {
  readonly arity: number;
  readonly apply: (...operands: number[]) => number;
  /** Bounds of the results of `apply` for finite operand bounds; operands and results saturate. */
  readonly range: (...operands: Interval[]) => Interval;
  /** The neutral second operand. */
  readonly identity?: number;
}

type Unary<T> = (x: T) => T;
type Binary<T> = (x: T, y: T) => T;

const unary = (apply: Unary<number>, range: Unary<Interval>): UniformOpRule => ({ arity: 1, apply, range });
const binary = (apply: Binary<number>, range: Binary<Interval>): UniformOpRule => ({ arity: 2, apply, range });

/** A non-decreasing function: its bounds are its values at the bounds. */
const rising = (apply: Unary<number>): UniformOpRule => unary(apply, I.rising(apply));

/** A function of two numbers that is non-decreasing in each. */
const bothRising = (apply: Binary<number>): UniformOpRule =>
  binary(apply, (a, b) => I.interval(apply(a.lo, b.lo), apply(a.hi, b.hi)));

const anything = (): Interval => I.ANY;

// ---------------------------------------------------------------- numbers

/** The replacement of a divisor of 0. */
const divisor = (y: number): number => (y === 0 ? I.F32_MIN : y);

/** A divisor with its only zero at the lower bound can be as small as the smallest number. */
const divRange = (a: Interval, b: Interval): Interval =>
  I.div(a, b.lo === 0 ? I.interval(Number.MIN_VALUE, Math.max(b.hi, I.F32_MIN)) : b);

/** Halves away from zero, as ggml's `round`. */
const round = (x: number): number => Math.sign(x) * Math.floor(Math.abs(x) + 0.5);

const scratch = new DataView(new ArrayBuffer(4));

/** The next f32 number above (1) or below (-1) the f32 number nearest to `x`. */
export function nextF32(x: number, direction: 1 | -1): number {
  // subnormal numbers are 0 on many devices
  if (Math.abs(Math.fround(x)) < I.F32_MIN) return direction * I.F32_MIN;
  scratch.setFloat32(0, x);
  // the next larger magnitude is the next bit pattern, for either sign
  scratch.setInt32(0, scratch.getInt32(0) + (x > 0 === direction > 0 ? 1 : -1));
  return scratch.getFloat32(0);
}

// ---------------------------------------------------------------- conditions

const bool = (b: boolean): number => (b ? 1 : 0);

const holds = (x: number): boolean => x !== 0;
const alwaysHolds = ({ lo, hi }: Interval): boolean => lo > 0 || hi < 0;
const neverHolds = ({ lo, hi }: Interval): boolean => lo === 0 && hi === 0;

/** 1 if certain, 0 if impossible, [0, 1] if unknown. */
const truth = (isCertain: boolean, isImpossible: boolean): Interval =>
  isCertain ? I.point(1) : isImpossible ? I.point(0) : I.UNIT;

// ---------------------------------------------------------------- the table

export const UNIFORM_OPS = {
  add: { ...binary((x, y) => x + y, I.add), identity: 0 },
  sub: { ...binary((x, y) => x - y, I.sub), identity: 0 },
  mul: { ...binary((x, y) => x * y, I.mul), identity: 1 },
  div: { ...binary((x, y) => x / divisor(y), divRange), identity: 1 },
  // each step saturates, as in the graph
  mod: binary((x, y) => x - divisor(y) * Math.floor(saturate(x / divisor(y))), anything),
  pow: binary((x, y) => (x < 0 && !Number.isInteger(y) ? 0 : Math.pow(x, y)), anything),
  min: bothRising(Math.min),
  max: bothRising(Math.max),
  neg: unary((x) => -x, I.neg),
  abs: unary(Math.abs, I.abs),
  sign: rising(Math.sign),
  exp: rising(Math.exp),
  log: rising((x) => Math.log(Math.max(x, 0))),
  log2: rising((x) => Math.log2(Math.max(x, 0))),
  sqrt: rising((x) => Math.sqrt(Math.max(x, 0))),
  floor: rising(Math.floor),
  ceil: rising(Math.ceil),
  round: rising(round),
  sigmoid: rising((x) => 1 / (1 + Math.exp(-x))),
  tanh: rising(Math.tanh),
  f32: rising(Math.fround),
  above: rising((x) => nextF32(x, 1)),
  below: rising((x) => nextF32(x, -1)),
  gt: binary(
    (x, y) => bool(x > y),
    (a, b) => truth(a.lo > b.hi, a.hi <= b.lo),
  ),
  ge: binary(
    (x, y) => bool(x >= y),
    (a, b) => truth(a.lo >= b.hi, a.hi < b.lo),
  ),
  eq: binary(
    (x, y) => bool(x === y),
    (a, b) => truth(a.lo === b.hi && a.hi === b.lo, a.hi < b.lo || a.lo > b.hi),
  ),
  and: binary(
    (x, y) => bool(holds(x) && holds(y)),
    (a, b) => truth(alwaysHolds(a) && alwaysHolds(b), neverHolds(a) || neverHolds(b)),
  ),
  or: binary(
    (x, y) => bool(holds(x) || holds(y)),
    (a, b) => truth(alwaysHolds(a) || alwaysHolds(b), neverHolds(a) && neverHolds(b)),
  ),
  not: unary(
    (x) => bool(!holds(x)),
    (a) => truth(neverHolds(a), alwaysHolds(a)),
  ),
  select: {
    arity: 3,
    apply: (c, x, y) => (holds(c) ? x : y),
    range: (c, a, b) => (alwaysHolds(c) ? a : neverHolds(c) ? b : I.union(a, b)),
  },
  hash: binary(
    (x, key) => mix(hashInteger(x), hashInteger(key)),
    () => I.interval(0, HASH_RANGE - 1),
  ),
  clamp: {
    arity: 3,
    apply: (x, lo, hi) => Math.min(Math.max(x, lo), hi),
    range: (a, lo, hi) => I.interval(Math.min(Math.max(a.lo, lo.lo), hi.lo), Math.min(Math.max(a.hi, lo.hi), hi.hi)),
  },
} satisfies Readonly<Record<string, UniformOpRule>>;

export type UniformOp = keyof typeof UNIFORM_OPS;

export const uniformOpRule = (op: UniformOp): UniformOpRule => UNIFORM_OPS[op];

export const isUniformOp = (name: unknown): name is UniformOp =>
  typeof name === "string" && Object.hasOwn(UNIFORM_OPS, name);

/** Clamps a result to the range of finite f32 numbers; NaN (such as inf - inf) becomes 0. */
export function saturate(x: number): number {
  return Number.isNaN(x) ? 0 : Math.min(Math.max(x, -I.F32_MAX), I.F32_MAX);
}

/** Applies one operation to numbers. */
export const applyUniformOp = (op: UniformOp, operands: readonly number[]): number =>
  saturate(uniformOpRule(op).apply(...operands));

/** Bounds of an operation's result. */
export const uniformRange = (op: UniformOp, operands: readonly Interval[]): Interval =>
  I.saturated(uniformOpRule(op).range(...operands));

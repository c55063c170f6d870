/**
 * The range of an op's result from the ranges of its operands: one function for each range rule in the op table.
 * native/graph/ranges.cc has a function of the same name for each, which also allows for NaN and f32 rounding.
 */
import * as I from "./interval.js";
import type { Interval } from "./interval.js";
import { HASH_RANGE } from "./hash.js";

/** An attribute that is a choice is its index. */
type RangeFunction = (operands: readonly Interval[], attrs: Readonly<Record<string, number>>) => Interval;

const unary =
  (range: (a: Interval) => Interval): RangeFunction =>
  ([a]) =>
    range(a!);

const binary =
  (range: (a: Interval, b: Interval) => Interval): RangeFunction =>
  ([a, b]) =>
    range(a!, b!);

const rising = (f: (x: number) => number): RangeFunction => unary(I.rising(f));

/** The most rows of a sum. */
const MAX_ROWS = 2 ** 24;

const RULES = {
  // no operand
  any: () => I.ANY,
  unit: () => I.UNIT,
  signed_unit: () => I.interval(-1, 1),
  /** Row indices. */
  positions: () => I.interval(0, Infinity),
  /** The attribute `value`. */
  value: (_, { value }) => I.point(value!),

  // one operand
  same: unary((a) => a),
  abs: unary(I.abs),
  neg: unary(I.neg),
  sign: rising(Math.sign),
  step: unary((a) => I.interval(a.lo > 0 ? 1 : 0, a.hi > 0 ? 1 : 0)),
  exp: rising(Math.exp),
  log: rising(Math.log),
  sqrt: rising(Math.sqrt),
  sqr: unary((a) => {
    const s = I.hull(a.lo * a.lo, a.hi * a.hi);
    return a.lo <= 0 && a.hi >= 0 ? I.interval(0, s.hi) : s;
  }),
  floor: rising(Math.floor),
  ceil: rising(Math.ceil),
  round: unary((a) => I.interval(Math.floor(a.lo), Math.ceil(a.hi))),
  scale: ([a], { s, b }) => I.add(I.mul(a!, I.point(s!)), I.point(b!)),
  clamp: ([a], { lo, hi }) => I.clampTo(a!, lo!, hi!),
  cast: ([a], { to }) => (to === 1 ? I.rising(Math.trunc)(a!) : a!),
  sum: unary(({ lo, hi }) => I.interval(lo >= 0 ? lo : lo * MAX_ROWS, hi <= 0 ? hi : hi * MAX_ROWS)),

  // two operands
  add: binary(I.add),
  sub: binary(I.sub),
  mul: binary(I.mul),
  div: binary(I.div),
  hash: () => I.interval(0, HASH_RANGE - 1),
  /** The union: each row is from one operand or the other. */
  either: binary(I.union),
  /** A softmax of a column, perhaps with a mask. */
  soft_max: () => I.UNIT,
} satisfies Record<string, RangeFunction>;

export type RangeRule = keyof typeof RULES;

export const rangeRule = (name: RangeRule): RangeFunction => RULES[name];

/** Hashes, and noise: random numbers that depend only on what they are of. */
import { FIRST_KEY, HASH_RANGE } from "../graph/hash.js";
import * as I from "../graph/interval.js";
import type { OpName } from "../graph/ops.js";
import { asColumn, asNode, mapped, node, scale, sub, unary } from "./arith.js";
import { tokenOf } from "./columns.js";
import { seedNumber, type Stream } from "./draws.js";
import type { Lowering } from "./lowering.js";
import { constant, isColumn, uniformOp, uniformValue, type NodeValue, type UniformValue, type Value } from "./value.js";

/** The hash of some values, an integer below 2^24: each is permuted by the key that those before it give. */
export const hash = (cx: Lowering, values: readonly Value[]): Value =>
  values.reduce<Value>((key, x) => hashBy(cx, x, key), constant(FIRST_KEY));

/** What the host knows costs no node. */
function hashBy(cx: Lowering, x: Value, key: Value): Value {
  if (x.kind === "uniform" && key.kind === "uniform") return uniformOp("hash", x, key);
  // a uniform operation rounds down and wraps by itself; rows are f32, so that it must be done before
  const whole = x.kind === "uniform" ? asInteger(x) : integer(cx, x);
  const rows = isColumn(key) ? asColumn(cx, whole, cx.table.dim) : asNode(cx, whole);
  return node(cx, "hash", [rows, asNode(cx, key)]);
}

const asInteger = (x: UniformValue): UniformValue => uniformOp("mod", uniformOp("floor", x), constant(HASH_RANGE));

/** Ops whose results are integers. */
const WHOLE: ReadonlySet<OpName> = new Set(["arange", "cast", "ceil", "floor", "hash", "round", "sgn", "step"]);

/** A value as an integer from 0 to 2^24, at which the permutation wraps. */
function integer(cx: Lowering, x: NodeValue): NodeValue {
  const whole = WHOLE.has(cx.builder.nodes[x.id]!.op) ? x : unary(cx, "floor", x);
  if (I.isWithin(whole.range, 0, HASH_RANGE)) return whole;
  const turns = mapped(cx, "floor", scale(cx, whole, 1 / HASH_RANGE, 0));
  const wrapped = sub(cx, whole, scale(cx, turns, HASH_RANGE, 0)) as NodeValue;
  // exact: the operands of the difference are multiples of the last bit of the larger one
  return { ...wrapped, range: I.interval(0, HASH_RANGE) };
}

/**
 * A number in (0, 1) for each row: an odd multiple of 2^-24, by the hash of the seed, of `at`, by default the number of tokens so far,
 * and of the token. The hash of all but the token is a uniform expression, and for one seed a permutation of `at`: no two tokens of a
 * text have the same noise.
 */
export function noise(cx: Lowering, stream: Stream, at: UniformValue = STEP): Value {
  const seed = seedNumber(cx, stream);
  const high = uniformOp("floor", uniformOp("div", seed, constant(HASH_RANGE)));
  const value = hash(cx, [seed, high, at, tokenOf(cx)]);
  const half = mapped(cx, "floor", scale(cx, value, 0.5, 0));
  return scale(cx, half, 2 / HASH_RANGE, 1 / HASH_RANGE);
}

const STEP = uniformValue("step", I.interval(0, 2 ** 31));

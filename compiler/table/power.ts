/** x ^ y. */
import { log, mapped, mod, mul, sqrt, sub, unary } from "./arith.js";
import { equal, greater, select } from "./conditions.js";
import type { Lowering } from "./lowering.js";
import { constant, uniformOp, isConstant, type Value } from "./value.js";

/** Integer powers up to this become multiplications, which are more exact. */
const MAX_MULTIPLIED_POWER = 8;

/** x ^ y; 0 for a negative x and a non-integer y. */
export function pow(cx: Lowering, x: Value, y: Value): Value {
  if (x.kind === "uniform" && y.kind === "uniform") return uniformOp("pow", x, y);
  if (isConstant(y)) {
    if (y.expr === 0) return constant(1);
    if (y.expr === 0.5) return sqrt(cx, x);
    if (Number.isInteger(y.expr) && y.expr > 0 && y.expr <= MAX_MULTIPLIED_POWER) return wholePower(cx, x, y.expr);
  }
  const powerOf = (base: Value): Value => mapped(cx, "exp", mul(cx, log(cx, base), y));
  if (x.range.lo >= 0) return powerOf(x);
  // tests the f32 value that the rows see for an integer
  const sign = signOfNegative(cx, y.kind === "uniform" ? uniformOp("f32", y) : y);
  // the logarithm treats a negative x as 0, so its power is 0
  if (isConstant(sign) && sign.expr === 0 && y.range.lo > 0) return powerOf(x);
  return mul(cx, powerOf(mapped(cx, "abs", x)), select(cx, greater(cx, constant(0), x), sign, constant(1)));
}

/** (-1) ^ y: 1 for an even y, -1 for an odd one, 0 for a non-integer. */
function signOfNegative(cx: Lowering, y: Value): Value {
  const isOdd = mod(cx, y, constant(2));
  return mul(cx, equal(cx, mapped(cx, "floor", y), y), sub(cx, constant(1), mul(cx, constant(2), isOdd)));
}

function wholePower(cx: Lowering, x: Value, n: number): Value {
  if (n === 1) return x;
  const half = wholePower(cx, x, Math.floor(n / 2));
  const square = half.kind === "node" ? unary(cx, "sqr", half) : mul(cx, half, half);
  return n % 2 === 0 ? square : mul(cx, square, x);
}

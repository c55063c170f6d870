/**
 * Host expressions: the numbers that a chain needs once a token and that no device has to compute. Arithmetic is f64 on
 * the language's terms: results saturate at the largest finite f32, a divisor of 0 counts as the smallest normal f32,
 * and so nothing is ever NaN. The constant evaluator and the runtimes share these definitions.
 */
import { HOST_OPS, type HostExpr, type HostOp } from "./graph.js";
import { F32_MAX, F32_MIN } from "./interval.js";
import { LIMITS } from "./limits.js";
import { show } from "./show.js";

export interface HostOpRule {
  readonly arity: number;
  readonly apply: (...operands: number[]) => number;
}

const bool = (b: boolean): number => (b ? 1 : 0);
const unary = (apply: (x: number) => number): HostOpRule => ({ arity: 1, apply });
const binary = (apply: (x: number, y: number) => number): HostOpRule => ({ arity: 2, apply });

/** What a divisor of 0 is replaced by. */
const divisor = (y: number): number => (y === 0 ? F32_MIN : y);

/** Halves away from zero, as ggml's `round`. */
const round = (x: number): number => Math.sign(x) * Math.floor(Math.abs(x) + 0.5);

const scratch = new DataView(new ArrayBuffer(4));

/** The next f32 number above (1) or below (-1) the f32 number nearest to `x`. */
export function neighbour(x: number, direction: 1 | -1): number {
  // numbers below the smallest normal one are 0 on many devices
  if (Math.abs(Math.fround(x)) < F32_MIN) return direction * F32_MIN;
  scratch.setFloat32(0, x);
  // a larger magnitude is the next bit pattern, whatever the sign
  scratch.setInt32(0, scratch.getInt32(0) + (x > 0 === direction > 0 ? 1 : -1));
  return scratch.getFloat32(0);
}

export const HOST_RULES: Readonly<Record<HostOp, HostOpRule>> = {
  add: binary((x, y) => x + y),
  sub: binary((x, y) => x - y),
  mul: binary((x, y) => x * y),
  div: binary((x, y) => x / divisor(y)),
  // each step saturates, as in the graph
  mod: binary((x, y) => x - divisor(y) * Math.floor(saturate(x / divisor(y)))),
  pow: binary((x, y) => (x < 0 && !Number.isInteger(y) ? 0 : Math.pow(x, y))),
  min: binary(Math.min),
  max: binary(Math.max),
  neg: unary((x) => -x),
  abs: unary(Math.abs),
  sign: unary(Math.sign),
  exp: unary(Math.exp),
  log: unary((x) => Math.log(Math.max(x, 0))),
  log2: unary((x) => Math.log2(Math.max(x, 0))),
  sqrt: unary((x) => Math.sqrt(Math.max(x, 0))),
  floor: unary(Math.floor),
  ceil: unary(Math.ceil),
  round: unary(round),
  sigmoid: unary((x) => 1 / (1 + Math.exp(-x))),
  tanh: unary(Math.tanh),
  f32: unary(Math.fround),
  above: unary((x) => neighbour(x, 1)),
  below: unary((x) => neighbour(x, -1)),
  gt: binary((x, y) => bool(x > y)),
  ge: binary((x, y) => bool(x >= y)),
  eq: binary((x, y) => bool(x === y)),
  and: binary((x, y) => bool(x !== 0 && y !== 0)),
  or: binary((x, y) => bool(x !== 0 || y !== 0)),
  not: unary((x) => bool(x === 0)),
  select: { arity: 3, apply: (c, x, y) => (c !== 0 ? x : y) },
  clamp: { arity: 3, apply: (x, lo, hi) => Math.min(Math.max(x, lo), hi) },
};

const isHostOp = (name: unknown): name is HostOp => (HOST_OPS as readonly unknown[]).includes(name);

/** Brings a result into the range of finite f32 numbers; NaN (inf - inf and the like) becomes 0. */
export function saturate(x: number): number {
  return Number.isNaN(x) ? 0 : Math.min(Math.max(x, -F32_MAX), F32_MAX);
}

/** Applies one operation to numbers. */
export const applyHost = (op: HostOp, operands: readonly number[]): number =>
  saturate(HOST_RULES[op].apply(...operands));

/** What the leaves of a host expression stand for at one token. */
export interface HostEnvironment {
  readonly param: (name: string) => number;
  readonly draw: (index: number) => number;
  readonly state: (index: number) => number;
  readonly step: number;
  readonly vocab: number;
}

export function evaluateHost(expr: HostExpr, env: HostEnvironment): number {
  if (typeof expr === "number") return saturate(expr);
  if (expr === "step") return env.step;
  if (expr === "vocab") return env.vocab;
  if ("param" in expr) return saturate(env.param(expr.param));
  if ("draw" in expr) return env.draw(expr.draw);
  if ("state" in expr) return saturate(env.state(expr.state));
  const [op, ...operands] = expr;
  return applyHost(
    op,
    operands.map((operand) => evaluateHost(operand, env)),
  );
}

/** The leaves that a host expression may have. */
export interface HostLeaves {
  readonly params: ReadonlySet<string>;
  readonly draws: number;
  readonly states: number;
}

export type HostChecker = (expr: unknown, known: HostLeaves) => string | undefined;

/** A function that says what is wrong with an expression from outside, if anything; its limit is on all that it sees. */
export function hostChecker(): HostChecker {
  let parts = 0;
  const visit = (e: unknown, known: HostLeaves, depth: number): string | undefined => {
    if (++parts > LIMITS.hostParts) return `all expressions together have more than ${LIMITS.hostParts} parts`;
    if (depth > LIMITS.hostDepth) return `the expression is nested more than ${LIMITS.hostDepth} deep`;
    if (!Array.isArray(e)) return leafFault(e, known);
    const [op] = e as unknown[];
    if (!isHostOp(op)) return `unknown operation ${show(op)}`;
    const { arity } = HOST_RULES[op];
    if (e.length - 1 !== arity) return `\`${op}\` takes ${arity} operands, found ${e.length - 1}`;
    for (const operand of e.slice(1)) {
      const fault = visit(operand, known, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return (expr, known) => visit(expr, known, 0);
}

function leafFault(e: unknown, known: HostLeaves): string | undefined {
  if (typeof e === "number") return Number.isFinite(e) ? undefined : `${e} is not a finite number`;
  if (e === "step" || e === "vocab") return undefined;
  const entries = typeof e === "object" && e !== null ? Object.entries(e as Record<string, unknown>) : [];
  const [kind, which] = entries[0] ?? [];
  const isIndex = (count: number): boolean =>
    Number.isInteger(which) && (which as number) >= 0 && (which as number) < count;
  if (entries.length !== 1) return `${show(e)} is no expression`;
  if (kind === "param") return known.params.has(which as string) ? undefined : `unknown parameter ${show(which)}`;
  if (kind === "draw") return isIndex(known.draws) ? undefined : `there is no draw ${show(which)}`;
  if (kind === "state") return isIndex(known.states) ? undefined : `there is no state ${show(which)}`;
  return `${show(e)} is no expression`;
}

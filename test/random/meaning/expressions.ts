/** Evaluates expressions directly on the syntax tree: no graph, no masks, no facts. */
import { constantIn } from "../../../compiler/check/types.js";
import { F32_MAX, F32_MIN } from "../../../compiler/graph/interval.js";
import { resolveArgs } from "../../../compiler/check/arguments.js";
import type { Module } from "../../../compiler/check/program.js";
import type { Bounds, Call, Expr, Fn, Fold, Member, Repeat } from "../../../compiler/syntax/ast.js";
import { children } from "../../../compiler/syntax/walk.js";
import { allows, isIn } from "./grammars.js";
import { hashOf, noiseOf } from "./hash.js";
import { endingOf, listOf, literalOf, tokenSet } from "./sets.js";
import { Unclear, type Stage, type Value } from "./table.js";
import { completing, isInside, occurrencesIn, partOf, repetitionsIn, sinceEnding } from "./text.js";
import { overTokens } from "./windows.js";

/** Numbers are finite. */
const finite = (x: number): number => (Number.isNaN(x) ? 0 : Math.min(Math.max(x, -F32_MAX), F32_MAX));

/** Numbers of rows are f32. */
export const f32 = (x: number): number => Math.fround(finite(x));

/** Terms of sums are clamped to this magnitude. */
const TERM_MAX = 2 ** 103;
const term = (x: number): number => Math.min(Math.max(x, -TERM_MAX), TERM_MAX);

const sum = (x: readonly number[]): number => x.reduce((a, b) => a + term(b), 0);

/** Some devices flush subnormal numbers to 0. */
function expectNormal(x: number): void {
  if (x !== 0 && Math.abs(x) < F32_MIN) throw new Unclear("a subnormal number");
}

function divisor(y: number): number {
  expectNormal(y);
  return y === 0 ? F32_MIN : y;
}

/** A uniform value is rounded where the graph reads it. */
export const columnOf = ({ rows }: Stage, x: Value): readonly number[] =>
  typeof x === "number" ? rows.map(() => f32(x)) : x;

function apply(s: Stage, f: (...x: number[]) => number, ...values: readonly Value[]): Value {
  // a uniform value is rounded only where the graph reads it
  if (values.every((v) => typeof v === "number")) return finite(f(...values));
  const columns = values.map((v) => columnOf(s, v));
  return s.rows.map((_, i) => f32(f(...columns.map((c) => c[i]!))));
}

const truth = (b: boolean): number => (b ? 1 : 0);

const BINARY: Readonly<Record<string, (x: number, y: number) => number>> = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
  "/": (x, y) => x / divisor(y),
  "%": remainder,
  "<": (x, y) => truth(apart(x, y) < 0),
  "<=": (x, y) => truth(apart(x, y) <= 0),
  ">": (x, y) => truth(apart(x, y) > 0),
  ">=": (x, y) => truth(apart(x, y) >= 0),
  "==": (x, y) => truth(apart(x, y) === 0),
  "!=": (x, y) => truth(apart(x, y) !== 0),
  and: (x, y) => truth(x > 0 && y > 0),
  or: (x, y) => truth(x > 0 || y > 0),
};

/** The difference of two numbers, used for its sign. */
function apart(x: number, y: number): number {
  expectNormal(x - y);
  return x - y;
}

/** Above this, neighbouring f32 numbers are a whole number apart or more. */
const MOST_WHOLE = 2 ** 23;
/** Of a remainder, the share that may be rounding error. */
const ROUNDING = 1e-5;

function remainder(x: number, y: number): number {
  // a uniform value is rounded where the graph reads it
  if (y === 0 && x !== f32(x)) throw new Unclear("a remainder by 0 is rounding error");
  if (Math.abs(x / divisor(y)) >= MOST_WHOLE) throw new Unclear("the remainder of a large quotient is rounding error");
  const quotient = x / divisor(y);
  // the host does not round the quotient, and rows do
  if (Math.floor(quotient) !== Math.floor(f32(quotient)))
    throw new Unclear("the quotient is an integer but for rounding");
  const product = divisor(y) * Math.floor(quotient);
  const left = x - f32(product);
  // the host does not round the product either
  if (Math.abs(product - f32(product)) > ROUNDING * Math.abs(left))
    throw new Unclear("the remainder is rounding error");
  return left;
}

function power(x: number, y: number): number {
  if (y === 0) return 1;
  // rows have the lowest finite number for log(0)
  if (x === 0 && Math.abs(y) * F32_MAX < 100) throw new Unclear("0 to a power next to 0");
  if (x < 0 && !Number.isInteger(y) && Number.isInteger(f32(y)))
    throw new Unclear("the power is an integer but for rounding");
  if (x < 0 && !Number.isInteger(y)) return 0;
  return x ** y;
}

const MAPS: Readonly<Record<string, (...x: number[]) => number>> = {
  exp: Math.exp,
  log: (x) => Math.log(Math.max(x, 0)),
  log2: (x) => Math.log2(Math.max(x, 0)),
  sqrt: (x) => Math.sqrt(Math.max(x, 0)),
  abs: Math.abs,
  floor: Math.floor,
  ceil: Math.ceil,
  round: (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5),
  sign: Math.sign,
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  tanh: Math.tanh,
  min: Math.min,
  max: Math.max,
  clamp: (x, lo, hi) => Math.min(Math.max(x, lo), hi),
};

function mean(x: readonly number[]): number {
  if (x.every((v) => v === x[0]) && Math.abs(x[0]!) > TERM_MAX)
    throw new Unclear("the mean of a number known to be the same in all rows is not clamped");
  return f32(sum(x) / x.length);
}
const variance = (x: readonly number[]): number => {
  const m = mean(x);
  return mean(x.map((v) => f32(f32(v - m) ** 2)));
};

const REDUCTIONS: Readonly<Record<string, (x: readonly number[]) => number>> = {
  max: (x) => x.reduce((a, b) => Math.max(a, b)),
  min: (x) => x.reduce((a, b) => Math.min(a, b)),
  sum,
  count: sum,
  mean,
  var: variance,
  std: (x) => Math.sqrt(variance(x)),
  any: (x) => truth(x.some((c) => c > 0)),
  all: (x) => truth(x.every((c) => c > 0)),
};

/** Larger logits do not change a probability. */
const LOGIT_MAX = 1e30;

export function softmax(x: readonly number[]): readonly number[] {
  const bounded = x.map((v) => Math.min(Math.max(v, -LOGIT_MAX), LOGIT_MAX));
  const max = bounded.reduce((a, b) => Math.max(a, b));
  const powers = bounded.map((v) => Math.exp(f32(v - max)));
  const total = sum(powers);
  return powers.map((v) => f32(v / total));
}

function logSoftmax(x: readonly number[]): readonly number[] {
  const max = x.reduce((a, b) => Math.max(a, b));
  const shifted = x.map((v) => Math.max(f32(v - max), -LOGIT_MAX));
  const total = Math.log(sum(shifted.map((v) => f32(Math.exp(v)))));
  return shifted.map((v) => f32(v - total));
}

const SCANS: Readonly<Record<string, (x: readonly number[]) => readonly number[]>> = {
  softmax,
  log_softmax: logSoftmax,
  cumsum: (x) => {
    let total = 0;
    return x.map((v) => (total = f32(total + term(v))));
  },
};

/** Assigned logits may be as large as 1e31. */
export const probOf = ({ rows }: Stage): readonly number[] => {
  const max = rows.reduce((a, { logit }) => Math.max(a, logit), -Infinity);
  const powers = rows.map(({ logit }) => Math.exp(f32(logit - max)));
  const total = sum(powers);
  return powers.map((v) => f32(v / total));
};

export function evaluate(s: Stage, e: Expr): Value {
  switch (e.kind) {
    case "number":
      return f32(e.value);
    case "bool":
      return truth(e.value);
    case "name":
      return nameValue(s, e.text);
    case "unary":
      return apply(s, e.op === "-" ? (x) => -x : (x) => truth(x <= 0), evaluate(s, e.operand));
    case "binary":
      return apply(s, e.op === "^" ? power : BINARY[e.op]!, evaluate(s, e.left), evaluate(s, e.right));
    case "conditional":
      return apply(s, (c, x, y) => (c > 0 ? x : y), evaluate(s, e.cond), evaluate(s, e.then), evaluate(s, e.else));
    case "call":
      return callValue(s, e);
    case "member":
      return memberValue(s, e);
    case "fold":
      return foldValue(s, e);
    case "repeat":
      return repeatValue(s, e);
    default:
      throw new Error(`a ${e.kind} has no value`);
  }
}

function memberValue(s: Stage, { value, isNegated, set }: Member): Value {
  const { tokens } = tokenSet(s, set);
  return apply(s, (token) => truth(tokens.has(token) !== isNegated), evaluate(s, value));
}

/** The same with one more local name. */
const withLocal = (s: Stage, name: string, value: Value): Stage => ({
  ...s,
  locals: new Map(s.locals).set(name, value),
});

function countersIn(s: Stage, { from, to }: Bounds): number[] {
  const [first, last] = [from, to].map((e) => evaluate(s, e) as number) as [number, number];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

const FOLDS: Readonly<Record<Fold["how"], { readonly of: (x: number, y: number) => number; readonly none?: number }>> =
  {
    sum: { of: (x, y) => x + y, none: 0 },
    min: { of: Math.min },
    max: { of: Math.max },
    any: { of: (x, y) => truth(x > 0 || y > 0), none: 0 },
    all: { of: (x, y) => truth(x > 0 && y > 0), none: 1 },
  };

/** What the host knows is combined first, by halves. */
function foldValue(s: Stage, { how, counter, bounds, body }: Fold): Value {
  const { of, none } = FOLDS[how];
  const values = countersIn(s, bounds).map((i) => evaluate(withLocal(s, counter.text, i), body));
  const combine = (x: Value, y: Value): Value => apply(s, of, x, y);
  const halves = (x: readonly Value[]): Value => {
    if (x.length === 1) return x[0]!;
    const half = Math.ceil(x.length / 2);
    return combine(halves(x.slice(0, half)), halves(x.slice(half)));
  };
  if (values.length === 0) return none!;
  const numbers = values.filter((x) => typeof x === "number");
  const columns: Value[] = values.filter((x) => typeof x !== "number");
  const joined = columns.length === 0 ? [] : [columns.reduce(combine)];
  return [...joined, ...(numbers.length === 0 ? [] : [halves(numbers)])].reduce(combine);
}

function repeatValue(s: Stage, { count, counter, name, init, body }: Repeat): Value {
  const rounds = counter
    ? countersIn(s, counter.bounds)
    : Array.from({ length: evaluate(s, count!) as number }, (_, i) => i + 1);
  return rounds.reduce<Value>(
    (x, i) => {
      const counted = counter ? withLocal(s, counter.name.text, i) : s;
      return evaluate(withLocal(counted, name.text, x), body);
    },
    evaluate(s, init),
  );
}

/** A call of a function of the program: its body sees its parameters, and the table. */
function functionValue(s: Stage, declaration: Fn, module: Module, { args }: Call): Value {
  const given = resolveArgs(declaration.params, args).bound;
  let inner: Stage = { ...s, module, args: new Map(), locals: new Map(), isFunction: true };
  for (const { name, default: other } of declaration.params) {
    const value = given.get(name.text)?.value;
    inner = withLocal(inner, name.text, value ? evaluate(s, value) : evaluate({ ...inner, locals: new Map() }, other!));
  }
  for (const { name, value } of declaration.lets) inner = withLocal(inner, name.text, evaluate(inner, value));
  return evaluate(inner, declaration.result);
}

/** The names of the sampler: `let`s, states and parameters. */
function samplerValue(s: Stage, name: string): Value | undefined {
  const scalar = s.scalars.get(name);
  if (scalar !== undefined) return scalar;
  if (s.rows[0]!.lets.has(name)) return s.rows.map((r) => r.lets.get(name)!);
  const state = s.stateNames.get(name);
  if (state !== undefined) return f32(s.states.get(state)!);
  const argument = s.args.get(name);
  return argument && "value" in argument && typeof argument.value === "number" ? f32(argument.value) : undefined;
}

function nameValue(s: Stage, name: string): Value {
  const local = s.locals.get(name) ?? (s.isFunction ? undefined : samplerValue(s, name));
  if (local !== undefined) return local;
  const declared = s.module.scope.get(name);
  if (declared?.declaration.kind === "const") return f32(constantIn(declared.module, declared.declaration.value)!);
  if (declared?.declaration.kind === "input") return s.rows.map(({ token }) => f32(s.moment.fed(name, token)));
  switch (name) {
    case "logit":
      return s.rows.map((r) => r.logit);
    case "prob":
      return probOf(s);
    case "token":
      return s.rows.map((r) => r.token);
    case "raw_logit":
      return s.rows.map(({ token }) => s.moment.raw.get(token)!.logit);
    case "raw_prob":
      return s.rows.map(({ token }) => s.moment.raw.get(token)!.prob);
    case "rank":
      return s.rows.map((_, i) => i);
    case "bias":
      return s.rows.map(({ token }) => f32(s.moment.fed(name, token)));
    case "n":
      return s.rows.length;
    case "vocab":
      return s.moment.vocabSize;
    case "step":
      return s.moment.step;
    case "prompt_length":
      return s.moment.promptLength;
    default:
      throw new Error(`unknown name ${name}`);
  }
}

function callValue(s: Stage, call: Call): Value {
  const {
    callee: { text: name },
    args,
    span,
  } = call;
  const declared = s.module.scope.get(name);
  if (declared?.declaration.kind === "fn") return functionValue(s, declared.declaration, declared.module, call);
  const values = (): Value[] => args.map((a) => evaluate(s, a.value));
  const column = (): readonly number[] => columnOf(s, evaluate(s, args[0]!.value));
  switch (name) {
    case "entropy":
      return f32(-sum(probOf(s).map((p) => (p > 0 ? f32(p * f32(Math.log(p))) : 0))));
    case "prev":
    case "next": {
      const edge = columnOf(s, evaluate(s, args[1]!.value));
      return column().map((_, i, x) => x[name === "prev" ? i - 1 : i + 1] ?? edge[i]!);
    }
    case "picked": {
      const row = s.rows.findIndex(({ token }) => token === s.picked);
      if (row < 0) throw new Unclear("another token was picked");
      return column()[row]!;
    }
    case "known":
      if (!isConstant(s, args[0]!.value)) throw new Unclear("whether it is known depends on the compiler");
      return truth((evaluate(s, args[0]!.value) as number) > 0);
    case "uniform":
    case "uniform32":
      return drawOf(s, name === "uniform" ? "f64" : "f32", args[0]!.value, args[1]?.value, s.streams.get(span.start));
    case "last":
      return s.moment.history.at(-(evaluate(s, args[0]!.value) as number)) ?? -1;
    case "ends_with":
      return truth(sinceEnding(s.moment, endingOf(s, args[0]!.value)) === 0);
    case "since":
      return sinceEnding(s.moment, endingOf(s, args[0]!.value));
    case "inside": {
      const [opened, closed] = args.map(({ value }) => endingOf(s, value));
      return truth(isInside(s.moment, opened!, closed!));
    }
    case "allowed": {
      const { reading } = s.moment;
      return s.rows.map(({ token }) => truth(allows(reading!, token)));
    }
    case "in_rule":
      return truth(isIn(s.moment.reading!, literalOf(s, args[1]!.value)));
    case "in_string":
      return truth(isIn(s.moment.reading!, "characters"));
    case "hash":
      return apply(s, hashOf, ...values());
    case "noise": {
      const seed = seedOf(s, args[0]!.value);
      const at = args[1] ? (evaluate(s, args[1].value) as number) : s.moment.step;
      return s.rows.map(({ token }) => noiseOf(seed, at, token));
    }
    case "rejected":
      // nothing is taken back
      return s.rows.map(() => 0);
    case "completes": {
      const counts = completing(s.moment, listOf(s, args[0]!.value));
      return s.rows.map(({ token }) => counts.get(token) ?? 0);
    }
    case "occurrences":
    case "repeat_len": {
      const given = args.filter((a) => a.name?.text !== "in").map((a) => a.value);
      const source = args.find((a) => a.name?.text === "in")?.value;
      const part = source?.kind === "name" ? source.text : "all";
      const last = evaluate(s, given[0]!) as number;
      const breakers = given[1] ? listOf(s, given[1]).map((b) => (typeof b === "number" ? [b] : b)) : [];
      return s.rows.map(({ token }) =>
        name === "occurrences"
          ? occurrencesIn(partOf(s.moment, part), last, token)
          : repetitionsIn(s.moment, part, last, token, breakers as number[][]),
      );
    }
  }
  const last = args.find((a) => a.name?.text === "last")?.value;
  if (last) {
    const [x, count] = [args[0]!.value, last].map((e) => evaluate(s, e) as number) as [number, number];
    return overTokens(s, { name, at: span.start }, x, count);
  }
  if (SCANS[name]) return SCANS[name](column());
  if (REDUCTIONS[name] && !(MAPS[name] && args.length > 1)) return f32(REDUCTIONS[name](column()));
  const map = MAPS[name];
  if (!map) throw new Error(`the oracle lacks ${name}`);
  return apply(s, map, ...values());
}

function drawOf(s: Stage, kind: "f64" | "f32", seed: Expr, at: Expr | undefined, stream: number | undefined): number {
  const number = at ? Math.round(evaluate(s, at) as number) : s.moment.step;
  return s.moment.draw(kind, seedOf(s, seed), stream, number);
}

/** Seeds are 32-bit integers, which f32 cannot represent exactly. */
export function seedOf(s: Stage, e: Expr): number {
  if (e.kind === "number") return e.value;
  const argument = e.kind === "name" ? s.args.get(e.text) : undefined;
  if (argument && "value" in argument && typeof argument.value === "number") return argument.value;
  return evaluate(s, e) as number;
}

/** Whether an expression consists of constants. */
export function isConstant(s: Stage, e: Expr): boolean {
  if (e.kind === "number" || e.kind === "bool") return true;
  if (e.kind === "call" && !MAPS[e.callee.text]) return false;
  if (e.kind === "member") return false;
  if (e.kind !== "name") return children(e).every((part) => isConstant(s, part));
  const argument = s.args.get(e.text);
  if (argument) return "isConstant" in argument && argument.isConstant;
  return s.module.scope.get(e.text)?.declaration.kind === "const";
}

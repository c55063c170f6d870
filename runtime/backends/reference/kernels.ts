/**
 * One kernel per op, in f32 like ggml's CPU backend: the arrays round results to f32; sums and prefix sums accumulate in f64.
 * Ties keep the order of their indices.
 */
import type { Attr } from "@ggsl/compiler/graph/graph.js";
import { HASH_RANGE, mix } from "@ggsl/compiler/graph/hash.js";
import type { OpName } from "@ggsl/compiler/graph/ops.js";

export type Vector = Float32Array | Int32Array;

/** Computes a result of length `dim`. The interpreter fills leaves. */
export type Kernel = (operands: readonly Vector[], attrs: Readonly<Record<string, Attr>>, dim: number) => Vector;

const { fround } = Math;

const map =
  (f: (x: number) => number): Kernel =>
  ([x]) =>
    (x as Float32Array).map(f);

const map2 =
  (f: (x: number, y: number) => number): Kernel =>
  ([x, y]) => {
    if (y!.length > 1) return (x as Float32Array).map((v, i) => f(v, y![i]!));
    const scalar = y![0]!;
    return (x as Float32Array).map((v) => f(v, scalar));
  };

/** Indices in sorted order, ties by index. NaN counts as the lowest value. */
function order(x: Vector, sign: 1 | -1): Int32Array {
  const values = x.map((v: number) => (Number.isNaN(v) ? -Infinity : v));
  const compare = (i: number, j: number): number => {
    const a = values[i]!;
    const b = values[j]!;
    return a === b ? i - j : a < b === sign > 0 ? -1 : 1;
  };
  return Int32Array.from(x.keys()).sort(compare);
}

function softMax(x: Vector, mask: Vector | undefined, scale: number): Float32Array {
  const shifted = Float32Array.from(x, (v, i) => fround(v * scale) + (mask ? mask[i]! : 0));
  const max = shifted.reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = shifted.map((v) => Math.exp(fround(v - max)));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((v) => v / total);
}

function cumulate(x: Vector): Float32Array {
  let total = 0;
  return Float32Array.from(x, (v) => (total += v));
}

function argmax(x: Vector): number {
  let best = 0;
  x.forEach((v: number, i: number) => {
    if (v > x[best]!) best = i;
  });
  return best;
}

/** An index modulo the length, never negative. */
const wrap = (i: number, length: number): number => ((i % length) + length) % length;

const take = (x: Vector, rows: Vector): Vector => {
  const result = x instanceof Float32Array ? new Float32Array(rows.length) : new Int32Array(rows.length);
  rows.forEach((row: number, i: number) => (result[i] = x[Math.min(Math.max(row, 0), x.length - 1)]!));
  return result;
};

export const KERNELS: Readonly<Record<Exclude<OpName, "input" | "uniform">, Kernel>> = {
  abs: map(Math.abs),
  neg: map((x) => -x),
  sgn: map((x) => (x > 0 ? 1 : x < 0 ? -1 : 0)),
  step: map((x) => (x > 0 ? 1 : 0)),
  exp: map(Math.exp),
  log: map(Math.log),
  sqrt: map(Math.sqrt),
  sqr: map((x) => x * x),
  sigmoid: map((x) => 1 / (1 + Math.exp(-x))),
  tanh: map(Math.tanh),
  floor: map(Math.floor),
  ceil: map(Math.ceil),
  round: map((x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5)),
  scale: ([x], { s, b }) => (x as Float32Array).map((v) => fround(v * fround(s as number)) + fround(b as number)),
  clamp: ([x], { lo, hi }) => (x as Float32Array).map((v) => Math.max(Math.min(v, hi as number), lo as number)),
  add: map2((x, y) => x + y),
  sub: map2((x, y) => x - y),
  mul: map2((x, y) => x * y),
  div: map2((x, y) => x / y),
  soft_max: ([x, mask], { scale = 1 }) => softMax(x!, mask, fround(scale as number)),
  cumsum: ([x]) => cumulate(x!),
  sum_rows: ([x]) => Float32Array.of((x as Float32Array).reduce((a, b) => a + b, 0)),
  argmax: ([x]) => Int32Array.of(argmax(x!)),
  argsort: ([x], { order: which }) => order(x!, which === "desc" ? -1 : 1),
  top_k: ([x], _, dim) => order(x!, -1).slice(0, dim).sort(),
  get_rows: ([x, rows]) => take(x!, rows!),
  set_rows: ([x, y, rows]) => {
    const result = Float32Array.from(x!);
    rows!.forEach((row: number, i: number) => (result[row] = y![i]!));
    return result;
  },
  view: ([x], { offset }, dim) => {
    const start = (offset as number) < 0 ? x!.length + (offset as number) : (offset as number);
    return x!.slice(start, start + dim);
  },
  roll: ([x], { shift }) => x!.map((_: number, i: number) => x![wrap(i - (shift as number), x!.length)]!),
  cast: ([x], { to }) => (to === "f32" ? Float32Array.from(x!) : Int32Array.from(x!, Math.trunc)),
  repeat: ([x], _, dim) => new Float32Array(dim).fill(x![0]!),
  fill: (_, { value }, dim) => new Float32Array(dim).fill(value as number),
  arange: (_, __, dim) => Float32Array.from({ length: dim }, (_v, i) => i),
  // a spec may have any operands
  hash: map2((x, key) => mix(Math.min(Math.max(x, 0), HASH_RANGE), Math.min(Math.max(key, 0), HASH_RANGE - 1))),
};

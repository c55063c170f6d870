/**
 * Simulated devices that use every freedom of a device at random: inexact results are off by a few units in the last place,
 * ties come in any order. If an outcome varies between them, rounding or ties decide it.
 */
import type { Graph } from "../../compiler/graph/graph.js";
import type { OpName } from "../../compiler/graph/ops.js";
import { interpret } from "../../runtime/backends/reference/interpret.js";
import { KERNELS, type Kernel, type Vector } from "../../runtime/backends/reference/kernels.js";
import { random, type Random } from "../parity/random.js";
import type { Run } from "../parity/backends.js";

/** Four units in the last place of an f32. */
const NOISE = 2 ** -22;

/** Numbers closer to 0 are subnormal. */
const SMALLEST_NORMAL = 2 ** -126;

/** A device per seed; without `rounds` only the order of ties differs. Those of odd seeds have no subnormal numbers. */
export function runOtherwise(graph: Graph, seed: number, rounds: boolean): Run {
  const way: Way = { r: random(seed), rounds, flushes: rounds && seed % 2 === 1 };
  return (logits, uniforms, inputs = []) => interpret(graph, [logits, ...inputs], uniforms, (op) => kernelOf(op, way));
}

interface Way {
  readonly r: Random;
  readonly rounds: boolean;
  readonly flushes: boolean;
}

type Op = Exclude<OpName, "input" | "uniform">;

function kernelOf(op: Op, { r, rounds, flushes }: Way): Kernel {
  const kernel = KERNELS[op];
  if (op === "argsort" || op === "top_k" || op === "argmax") return shuffled(kernel, r);
  const exact = EXACT[op];
  const rounded = exact && rounds ? noisy(kernel, exact, APPROXIMATE.has(op), r) : kernel;
  return exact && flushes ? (...given) => rounded(...given).map(flushed) : rounded;
}

const flushed = (x: number): number => (Math.abs(x) < SMALLEST_NORMAL ? 0 : x);

/** The kernel on a random permutation of the rows. */
const shuffled =
  (kernel: Kernel, r: Random): Kernel =>
  ([x], attrs, dim) => {
    const places = [...x!.keys()].map((i) => ({ i, by: r.uniform() }));
    const order = places.sort((a, b) => a.by - b.by).map(({ i }) => i);
    const moved = Float32Array.from(order, (i) => x![i]!);
    return kernel([moved], attrs, dim).map((i: number) => order[i]!);
  };

const noisy =
  (kernel: Kernel, exact: Kernel, isApproximate: boolean, r: Random): Kernel =>
  (operands, attrs, dim) => {
    const result = kernel(operands, attrs, dim) as Float32Array;
    const wanted = exact(
      operands.map((x) => Float64Array.from(x) as unknown as Vector),
      attrs,
      dim,
    );
    const isExact = (i: number): boolean => !isApproximate && wanted[i] === Math.fround(wanted[i]!);
    return result.map((x, i) => (isExact(i) ? x : x * (1 + NOISE * (2 * r.uniform() - 1))));
  };

/** Ops that devices approximate, so that they may be off even where the exact result is an f32, such as a probability of 1/2. */
const APPROXIMATE: ReadonlySet<Op> = new Set<Op>(["exp", "log", "sqrt", "sigmoid", "tanh", "div", "soft_max"]);

const f64 = (x: Iterable<number>): Vector => Float64Array.from(x) as unknown as Vector;

/** f64 versions of the ops that round, to find results that are exact in f32; other ops only move or count numbers. */
const EXACT: Readonly<Partial<Record<Op, Kernel>>> = {
  ...Object.fromEntries(
    (["exp", "log", "sqrt", "sqr", "sigmoid", "tanh", "add", "sub", "mul", "div"] as const).map((op) => [
      op,
      KERNELS[op],
    ]),
  ),
  scale: ([x], { s, b }) => f64(Array.from(x!, (v) => v * (s as number) + (b as number))),
  sum_rows: ([x]) => f64([Array.from(x!).reduce((a, b) => a + b, 0)]),
  cumsum: ([x]) => {
    let total = 0;
    return f64(Array.from(x!, (v) => (total += v)));
  },
  soft_max: ([x, mask]) => {
    const shifted = Array.from(x!, (v, i) => v + (mask?.[i] ?? 0));
    const max = Math.max(...shifted);
    const powers = shifted.map((v) => Math.exp(v - max));
    const total = powers.reduce((a, b) => a + b, 0);
    return f64(powers.map((v) => v / total));
  },
};

/** The op table's properties of each op hold for its reference kernel, on random numbers. */
import { describe, expect, test } from "@jest/globals";
import type { Interval } from "../../compiler/graph/interval.js";
import {
  OP_NAMES,
  opRule,
  resultRange,
  resultType,
  type AttrRule,
  type OperandRule,
} from "../../compiler/graph/ops.js";
import type { Attr, Attrs, Dim, Dtype } from "../../compiler/graph/vector.js";
import { KERNELS, type Vector } from "../../runtime/backends/reference/kernels.js";
import { random, type Random } from "../parity/random.js";

type Op = keyof typeof KERNELS;

const OPS = OP_NAMES.filter((op): op is Op => Object.hasOwn(KERNELS, op));
const ROWS = 7;
const CASES = 50;

/** Operands, attributes and the length of the result. */
interface Use {
  readonly operands: readonly Vector[];
  readonly attrs: Attrs;
  readonly dim: number;
}

function operandOf({ dtype, dim }: OperandRule, r: Random): Vector {
  const length = dim === "scalar" || (dim === "broadcast" && r.uniform() < 0.5) ? 1 : ROWS;
  if (dtype === "i32" || (dtype === "any" && r.uniform() < 0.5)) return Int32Array.from({ length }, (_, i) => i);
  const [size, shift] = [10 ** (r.below(7) - 3), r.below(3) - 1];
  return Float32Array.from({ length }, () => size * (shift + 2 * r.uniform() - 1));
}

function attrsOf(op: Op, r: Random): Attrs {
  const value = ({ kind, choices }: AttrRule, i: number): Attr => {
    if (kind === "choice") return choices![r.below(choices!.length)]!;
    if (kind === "count") return 1 + r.below(3);
    // the bounds of a clamp must be ascending
    return kind === "integer" ? r.below(5) : i + r.uniform();
  };
  return Object.fromEntries(opRule(op).attrs.map((rule, i) => [rule.name, value(rule, i)]));
}

const dtypeOf = (x: Vector): Dtype => (x instanceof Float32Array ? "f32" : "i32");
const typeOf = (x: Vector): { dtype: Dtype; dim: Dim } => ({ dtype: dtypeOf(x), dim: x.length });
const rangeOf = (x: Vector): Interval => ({ lo: Math.min(...x), hi: Math.max(...x) });

function use(op: Op, r: Random): Use {
  const operands = opRule(op).operands.flatMap((rule) =>
    rule.optional && r.uniform() < 0.5 ? [] : [operandOf(rule, r)],
  );
  const attrs = attrsOf(op, r);
  return { operands, attrs, dim: resultType(op, operands.map(typeOf), attrs).dim as number };
}

const uses = (op: Op): Use[] => Array.from({ length: CASES }, (_, seed) => use(op, random(seed)));
const run = (op: Op, { operands, attrs, dim }: Use): Vector => KERNELS[op](operands, attrs, dim);

/** Rounding to f32 may exceed the range of the exact result. */
const isAbout = (x: number, { lo, hi }: Interval): boolean =>
  x >= Math.fround(lo - Math.abs(lo) * 1e-6) && x <= Math.fround(hi + Math.abs(hi) * 1e-6);

describe.each(OPS)("%s", (op) => {
  test("has the dtype and the dim of its rule", () => {
    for (const u of uses(op)) expect(typeOf(run(op, u))).toEqual(resultType(op, u.operands.map(typeOf), u.attrs));
  });

  test("stays in the range of its rule", () => {
    for (const u of uses(op)) {
      const range = resultRange(op, u.operands.map(rangeOf), u.attrs);
      const stray = [...run(op, u)].filter((x) => !Number.isNaN(x) && !isAbout(x, range));
      expect({ range, stray }).toEqual({ range, stray: [] });
    }
  });
});

test.each(OPS.filter((op) => opRule(op).isElementwise))("%s is elementwise", (op) => {
  for (const u of uses(op)) {
    const row = (i: number) => u.operands.map((x) => (x.length === 1 ? x : x.slice(i, i + 1)));
    const rows = Array.from({ length: ROWS }, (_, i) => run(op, { ...u, operands: row(i), dim: 1 })[0]!);
    expect([...run(op, u)]).toEqual(rows);
  }
});

test.each(OPS.filter((op) => opRule(op).isRising))("%s is non-decreasing", (op) => {
  for (const { operands, ...rest } of uses(op)) {
    const values = [...run(op, { ...rest, operands: [operands[0]!.toSorted()] })].filter((v) => !Number.isNaN(v));
    expect(values).toEqual(values.toSorted((a, b) => a - b));
  }
});

/**
 * Sums over the rows. In f32 a prefix sum over a vocabulary picks neighbours of the right token, so sums are added in f64; or, for
 * devices without f64, in f32 by blocks: over the rows of each block, then over the blocks.
 */
import type { Dim } from "../../graph/vector.js";
import { TO_END, type Builder, type Name } from "./builder.js";

const BLOCK = 256;

/** The sum of each sequence, `[B, 1]`. */
export function total(b: Builder, x: Name, dim: Dim): Name {
  if (dim === 1) return x;
  if (b.options.sums === "f64") return b.cast(sum(b, b.cast(x, "f64"), 1, true), "f32");
  return b.isWide(dim) ? sum(b, sum(b, blocks(b, x, dim), 2, false), 1, true) : sum(b, x, 1, true);
}

/** For each row the sum of all rows up to and including it. */
export function prefix(b: Builder, x: Name, dim: Dim): Name {
  if (dim === 1) return x;
  if (b.options.sums === "f64") return b.cast(cumulated(b, b.cast(x, "f64"), 1), "f32");
  return b.isWide(dim) ? prefixOfBlocks(b, x, dim) : cumulated(b, x, 1);
}

function prefixOfBlocks(b: Builder, x: Name, dim: Dim): Name {
  const inside = cumulated(b, blocks(b, x, dim), 2);
  const ends = b.slice(inside, BLOCK - 1, TO_END, 2);
  const before = b.add("CumSum", [ends, b.i64(1)], { exclusive: 1 });
  const rows = b.add("Reshape", [b.add("Add", [inside, before]), b.i64s(0, -1)]);
  return b.slice(rows, 0, b.rows(dim));
}

/** `[B, dim]` as `[B, blocks, BLOCK]`, filled up with zeros. */
function blocks(b: Builder, x: Name, dim: Dim): Name {
  const rows = b.knownRows(dim);
  const pads =
    rows === undefined
      ? b.add("Concat", [b.i64s(0, 0, 0), b.add("Mod", [b.add("Neg", [b.rows(dim)]), b.i64s(BLOCK)])], { axis: 0 })
      : b.i64s(0, 0, 0, (BLOCK - (rows % BLOCK)) % BLOCK);
  return b.add("Reshape", [b.add("Pad", [x, pads]), b.i64s(0, -1, BLOCK)]);
}

const sum = (b: Builder, x: Name, axis: number, keeps: boolean): Name =>
  b.add("ReduceSum", [x, b.i64s(axis)], { keepdims: keeps ? 1 : 0 });

const cumulated = (b: Builder, x: Name, axis: number): Name => b.add("CumSum", [x, b.i64(axis)]);

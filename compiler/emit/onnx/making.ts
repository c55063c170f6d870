/** Emitters of ops that make rows. */
import type { Emitter } from "./builder.js";

const repeat: Emitter = (b, { operands: [x], dim }) => b.add("Expand", [x!.name, b.shapeOf(dim)]);

const fill: Emitter = (b, { attrs, dim }) => {
  const value = b.scalar(attrs["value"] as number);
  return dim === 1 ? value : b.add("Expand", [value, b.shapeOf(dim)]);
};

const arange: Emitter = (b, { dim }) => {
  const count = b.add("Squeeze", [b.cast(b.rows(dim), "f32")]);
  return b.add("Unsqueeze", [b.add("Range", [b.f32(0), count, b.f32(1)]), b.i64s(0)]);
};

export const MAKING = { repeat, fill, arange };

/** Emitters of ops along the rows. */
import type { Emitter } from "./builder.js";
import { prefix, total } from "./sums.js";

const softMax: Emitter = (b, { operands: [x, mask], attrs, dim }) => {
  const factor = Math.fround((attrs["scale"] as number | undefined) ?? 1);
  const scaled = factor === 1 ? x!.name : b.add("Mul", [x!.name, b.f32(factor)]);
  const shown = mask ? b.add("Add", [scaled, mask.name]) : scaled;
  if (!b.isWide(dim)) return b.add("Softmax", [shown], { axis: -1 });
  // ONNX Runtime's own is off by 8e-6 at 128256 rows
  const powers = b.add("Exp", [b.add("Sub", [shown, b.max(shown)])]);
  return b.add("Div", [powers, total(b, powers, dim)]);
};

export const REDUCTIONS = {
  soft_max: softMax,
  cumsum: ((b, { operands: [x], dim }) => prefix(b, x!.name, dim)) as Emitter,
  sum_rows: ((b, { operands: [x] }) => total(b, x!.name, x!.dim)) as Emitter,
};

/** Emitters of ops that compare rows. Of equal rows the first one comes first, as in the reference. */
import type { Use, Builder, Emitter, Name } from "./builder.js";

const argmax: Emitter = (b, { operands: [x] }) =>
  b.add("ArgMax", [x!.name], { axis: 1, keepdims: 1, select_last_index: 0 });

const positions = (b: Builder, { operands: [x], dim }: Use, largest: 0 | 1): Name =>
  b.addAll("TopK", [x!.name, b.rows(dim)], { axis: 1, largest, sorted: 1 }, 2)[1]!;

const argsort: Emitter = (b, use) => positions(b, use, use.attrs["order"] === "desc" ? 1 : 0);

const topK: Emitter = (b, use) => positions(b, use, 1);

export const ORDER = { argmax, argsort, top_k: topK };

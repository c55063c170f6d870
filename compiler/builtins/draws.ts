/** Random numbers: one for each token, the same in every row. */
import type { Draw } from "../graph/graph.js";
import { drawFrom } from "../table/draws.js";
import { define, type Builtin } from "./builtin.js";

const draw = (bits: number, kind: Draw["kind"]): Builtin =>
  define({
    doc: `a random number in (0, 1) of ${bits} bits: the next one for each token, or the one at index \`at\`, of a stream that only this call draws from`,
    args: { seed: "seed" },
    optional: { at: "index" },
    gives: "scalar",
    result: "f32",
    lower: (cx, { seed, at }) => drawFrom(cx, kind, seed, at),
  });

export const DRAWS: Readonly<Record<string, Builtin>> = { uniform: draw(53, "f64"), uniform32: draw(24, "f32") };

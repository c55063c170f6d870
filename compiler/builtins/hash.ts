/** Random numbers for each row, and the hash that they come from. */
import * as H from "../table/hash.js";
import { define, type Builtin } from "./builtin.js";

export const HASHES: Readonly<Record<string, Builtin>> = {
  hash: define({
    doc: "an integer below 2^24 that looks random, of up to four integers: the same everywhere for the same ones",
    args: { a: "number" },
    optional: { b: "number", c: "number", d: "number" },
    gives: "map",
    result: "i32",
    isUnreserved: true,
    lower: (cx, { a, b, c, d }) =>
      H.hash(
        cx,
        [a, b, c, d].filter((x) => x !== undefined),
      ),
  }),
  noise: define({
    doc: "a random number in (0, 1) for each row: the same everywhere for the same seed, token and `step`, or `at` instead of `step`",
    args: { seed: "seed" },
    optional: { at: "index" },
    gives: "column",
    result: "f32",
    isUnreserved: true,
    lower: (cx, { seed, at }) => H.noise(cx, seed, at),
  }),
};

/** An emitter for each op of the op table: one that is missing is a compile error. */
import type { OpName } from "../../graph/ops.js";
import type { Emitter } from "./builder.js";
import { ELEMENTWISE } from "./elementwise.js";
import { HASH } from "./hash.js";
import { LEAVES } from "./leaves.js";
import { MAKING } from "./making.js";
import { MOVING } from "./moving.js";
import { ORDER } from "./order.js";
import { REDUCTIONS } from "./reductions.js";

export const EMITTERS: Readonly<Record<OpName, Emitter>> = {
  ...LEAVES,
  ...ELEMENTWISE,
  ...REDUCTIONS,
  ...ORDER,
  ...MOVING,
  ...MAKING,
  ...HASH,
};

/** Whether a module was built for this version of the compiler. */
import { OP_NAMES } from "@ggsl/compiler/graph/ops.js";
import { WIRE_VERSION } from "@ggsl/compiler/graph/wire.js";

/** Both op tables number the same ops; otherwise graphs would mean something else on the other side. Says what does not fit. */
export function differenceOf(wireVersion: number, names: readonly string[]): string | undefined {
  if (wireVersion !== WIRE_VERSION) return `it reads wire version ${wireVersion}, expected ${WIRE_VERSION}`;
  const i = Array.from({ length: Math.max(names.length, OP_NAMES.length) }).findIndex(
    (_, n) => names[n] !== OP_NAMES[n],
  );
  return i < 0 ? undefined : `its op ${i} is ${names[i] ?? "absent"}, expected ${OP_NAMES[i] ?? "none"}`;
}

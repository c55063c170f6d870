/** Checks that a module was built for this version of the compiler. */
import { OP_NAMES } from "@ggsl/compiler/graph/ops.js";
import { WIRE_VERSION } from "@ggsl/compiler/graph/wire.js";

/** Returns the first difference in wire version or op table; the wire form uses indices into the op table. */
export function differenceOf(wireVersion: number, names: readonly string[]): string | undefined {
  if (wireVersion !== WIRE_VERSION) return `it reads wire version ${wireVersion}, expected ${WIRE_VERSION}`;
  const i = Array.from({ length: Math.max(names.length, OP_NAMES.length) }).findIndex(
    (_, n) => names[n] !== OP_NAMES[n],
  );
  return i < 0 ? undefined : `its op ${i} is ${names[i] ?? "absent"}, expected ${OP_NAMES[i] ?? "none"}`;
}

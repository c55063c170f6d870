/** What the checker has refused, so that it cannot be in a program that is lowered. */
import { isConstant, type Value } from "./value.js";

/** Throws for a fault of the compiler itself. */
export function unchecked(what: string): never {
  throw new Error(`the checker accepted ${what}`);
}

/** The number that a static value is. */
export const numberOf = (value: Value, what: string): number =>
  isConstant(value) ? value.expr : unchecked(`${what} that is not a constant`);

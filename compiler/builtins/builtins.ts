/**
 * All built-in functions and names by name. A new one needs a record in this folder, a line in docs/language.md and its
 * meaning in test/random/meaning; the random programs, the checker and the editors read the record.
 */
import { constant } from "../table/value.js";
import { define, type Builtin, type BuiltinName } from "./builtin.js";
import { DRAWS } from "./draws.js";
import { FEATURES } from "./features.js";
import { HASHES } from "./hash.js";
import { MATHS } from "./maths.js";
import { NAMES } from "./names.js";
import { REDUCTIONS, SCANS } from "./rows.js";
import { TEXT } from "./text.js";

export const FUNCTIONS: Readonly<Record<string, Builtin>> = {
  ...MATHS,
  ...REDUCTIONS,
  ...SCANS,
  ...DRAWS,
  ...HASHES,
  picked: define({
    doc: "the value in the picked row; only inside `after pick`",
    args: { x: "ofPickedRow" },
    gives: "scalar",
    result: "argument",
    needs: "pick",
    lower: (_, { x }) => x,
  }),
  ...FEATURES,
  ...TEXT,
  known: define({
    doc: "whether the compiler can prove the condition",
    args: { condition: "condition" },
    gives: "static",
    result: "bool",
    lower: (_, { condition }) => constant(condition.range.lo >= 1 ? 1 : 0),
  }),
};

export { NAMES };

export const findFunction = (name: string): Builtin | undefined =>
  Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;

export const findName = (name: string): BuiltinName | undefined =>
  Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;

/** The columns that a sampler may assign. */
export const assignableNames = (): string[] => Object.keys(NAMES).filter((name) => NAMES[name]!.isAssignable);

/** The kind of a name that no program may declare; undefined for all other names. */
export function builtinKind(name: string): string | undefined {
  const found = findName(name);
  if (found && !found.isUnreserved) return found.shape === "column" ? "column" : "value";
  const called = findFunction(name);
  if (called && !called.isUnreserved) return "function";
  return name === "random" ? "seed" : undefined;
}

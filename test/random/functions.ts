/** The built-in functions by what they take and give, out of the language's own records: a new one joins its kind. */
import { argsOf, countsOf, givesOf, type ArgType, type Builtin, type Gives } from "../../compiler/builtins/builtin.js";
import { FUNCTIONS } from "../../compiler/builtins/builtins.js";

const named = (accept: (builtin: Builtin) => boolean): string[] =>
  Object.entries(FUNCTIONS).flatMap(([name, builtin]) => (accept(builtin) ? [name] : []));

/** Whether a function may be called with arguments of just these types, and gives this then. */
function takes(builtin: Builtin, gives: Gives, ...types: ArgType[]): boolean {
  const { least, most } = countsOf(builtin);
  const own = argsOf(builtin).map(([, type]) => type);
  const isCount = least <= types.length && types.length <= most;
  return isCount && types.every((type, i) => own[i] === type) && givesOf(builtin, types.length) === gives;
}

/** A number for a number. */
export const MAPS = named((b) => takes(b, "map", "number"));
/** Those of them that give whole numbers. */
export const ROUNDINGS = named((b) => takes(b, "map", "number") && b.result === "i32");
/** A number for two. */
export const PAIRS = named((b) => takes(b, "map", "number", "number"));
/** A number for three. */
export const TRIPLES = named((b) => takes(b, "map", "number", "number", "number"));
/** A number for a column. */
export const REDUCTIONS = named((b) => takes(b, "scalar", "number"));
/** A column for a column. */
export const SCANS = named((b) => takes(b, "column", "number"));
/** A column for a column and what it holds at its end, in rows that were put in order. */
export const MOVES = named((b) => takes(b, "column", "number", "number") && b.needs === "order");
/** A number for a condition, and a truth for a condition. */
export const COUNTS = named((b) => takes(b, "scalar", "condition") && b.result === "i32");
export const QUANTIFIERS = named((b) => takes(b, "scalar", "condition") && b.result === "bool");
/** A number for the table as it is. */
export const MEASURES = named((b) => takes(b, "scalar"));
/** A number for a seed. */
export const DRAWS = named((b) => takes(b, "scalar", "seed"));
/** A column for the last tokens, perhaps with a list of breakers. */
export const WINDOWED = named((b) => takes(b, "column", "window"));
export const BROKEN = named((b) => takes(b, "column", "window", "texts"));

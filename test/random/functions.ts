/** The builtin functions by signature, from the language's own tables, so that new ones are included. */
import { argsOf, countsOf, givesOf, type ArgType, type Builtin, type Gives } from "../../compiler/builtins/builtin.js";
import { FUNCTIONS } from "../../compiler/builtins/builtins.js";

/**
 * Functions whose result is another one if the last digit of an argument is. Backends round differently, so that random programs
 * call them for integers only (expressions.ts).
 */
const ERRATIC: ReadonlySet<string> = new Set(["hash", "noise"]);

const named = (accept: (builtin: Builtin) => boolean): string[] =>
  Object.entries(FUNCTIONS).flatMap(([name, builtin]) => (accept(builtin) && !ERRATIC.has(name) ? [name] : []));

/** Whether a function accepts exactly these argument types and then returns this type. */
function takes(builtin: Builtin, gives: Gives, ...types: ArgType[]): boolean {
  const { least, most } = countsOf(builtin);
  const own = argsOf(builtin).map(([, type]) => type);
  const isCount = least <= types.length && types.length <= most;
  return isCount && types.every((type, i) => own[i] === type) && givesOf(builtin, types.length) === gives;
}

/** Number to number. */
export const MAPS = named((b) => takes(b, "map", "number"));
/** Those of them with integer results. */
export const ROUNDINGS = named((b) => takes(b, "map", "number") && b.result === "i32");
/** Two numbers to a number. */
export const PAIRS = named((b) => takes(b, "map", "number", "number"));
/** Those of them that keep integers. */
export const WHOLE_PAIRS = named((b) => takes(b, "map", "number", "number") && b.result === "number");
/** Three numbers to a number. */
export const TRIPLES = named((b) => takes(b, "map", "number", "number", "number"));
/** Column to number. */
export const REDUCTIONS = named((b) => takes(b, "scalar", "number"));
/** Column to column. */
export const SCANS = named((b) => takes(b, "column", "number"));
/** Column and edge value to column, on sorted rows. */
export const MOVES = named((b) => takes(b, "column", "number", "number") && b.needs === "order");
/** Mask to number, and mask to bool. */
export const COUNTS = named((b) => takes(b, "scalar", "condition") && b.result === "i32");
export const QUANTIFIERS = named((b) => takes(b, "scalar", "condition") && b.result === "bool");
/** Number from the table alone. */
export const MEASURES = named((b) => takes(b, "scalar"));
/** Seed to number. */
export const DRAWS = named((b) => takes(b, "scalar", "seed"));
/** Column from the last tokens, with an optional list of breakers. */
export const WINDOWED = named((b) => takes(b, "column", "window"));
export const BROKEN = named((b) => takes(b, "column", "window", "texts"));

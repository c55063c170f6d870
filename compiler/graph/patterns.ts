/** Patterns: regular expressions that match in linear time, as RE2 does. */
import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { LIMITS } from "../limits/format.js";
import { OptionError } from "../core/optionError.js";

interface Pattern {
  /** Whether a part of the text matches. */
  matches(text: string): boolean;
}

/** What is wrong with a pattern, and the part of it that is. */
interface PatternFault {
  readonly message: string;
  readonly at: { readonly start: number; readonly end: number };
}

/** The fault of a pattern, if any. */
export function patternFault(text: string): PatternFault | undefined {
  const read = readPattern(text);
  return "message" in read ? read : undefined;
}

/** Throws an `OptionError` with the fault, if any. */
export function patternOf(text: string): Pattern {
  const read = readPattern(text);
  if ("message" in read) throw new OptionError(read.message);
  return read;
}

function readPattern(text: string): Pattern | PatternFault {
  const whole = { start: 0, end: text.length };
  if (text.length > LIMITS.pattern)
    return { message: `it has ${text.length} characters; at most ${LIMITS.pattern} are allowed`, at: whole };
  try {
    const compiled = RE2JS.compile(text);
    const size = compiled.programSize();
    if (size > LIMITS.patternSize)
      return { message: `it has ${size} steps; at most ${LIMITS.patternSize} are allowed`, at: whole };
    return { matches: (given) => compiled.test(given) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    if (!(error instanceof RE2JSSyntaxException)) return { message: error.message, at: whole };
    const { error: message, input } = error as unknown as { readonly error: string; readonly input: string | null };
    const start = input ? text.indexOf(input) : -1;
    return { message, at: start < 0 ? whole : { start, end: start + input!.length } };
  }
}

/** Regular expressions as items. */
import { InputError } from "../../core/errors.js";
import { containedItem, contextOf, NotLocal, wholeItem } from "./item.js";
import { automatonItem, TooLarge } from "./automaton.js";
import { readPattern } from "./read.js";
import { ANYTHING, type Part } from "./syntax.js";
import type { Item } from "../text/rules.js";

/** The pattern of a JSON schema: the texts in which a match is, unless it is anchored; with the flag `u`. Throws `InputError`. */
export function containedPattern(source: string): Item {
  const what = "the regular expression";
  return itemOf(readPattern(source, { dotAll: false, what }), true, what);
}

/** The texts that match from their beginning to their end; with the flags `s` and `u`. Throws `InputError`. */
export function wholePattern(source: string): Item {
  const what = "the regular expression";
  return itemOf(readPattern(source, { dotAll: true, what }), false, what);
}

function itemOf(part: Part, isContained: boolean, what: string): Item {
  try {
    return isContained ? containedItem(part) : wholeItem(part);
  } catch (error) {
    if (!(error instanceof NotLocal)) throw error;
  }
  try {
    return automatonItem(isContained ? { kind: "all", parts: [ANYTHING, part, ANYTHING] } : part, (look) =>
      contextOf(look, { isAtStart: true, isAtEnd: false }),
    );
  } catch (error) {
    if (!(error instanceof NotLocal) && !(error instanceof TooLarge)) throw error;
    throw new InputError(
      `${what} exceeds a limit: it looks ahead or behind in a repetition in a way that a grammar can only express with too many parts; ` +
        "write it without `(?=`, `(?!`, `(?<=`, `(?<!` and `\\b` there",
      { code: "LIMIT_EXCEEDED", cause: error },
    );
  }
}

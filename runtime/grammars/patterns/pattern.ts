/** Regular expressions as items; a fault is an `InputError`, which `isInexpressible` where the expression is right. */
import { containedItem, contextOf, NotLocal, wholeItem } from "./item.js";
import { automatonItem, TooLarge } from "./automaton.js";
import { inexpressible } from "./inexpressible.js";
import { readPattern } from "./read.js";
import { ANYTHING, type Part } from "./syntax.js";
import type { Item } from "../text/rules.js";

/** The pattern of a JSON schema: the texts in which a match is, unless it is anchored; with the flag `u`. */
export function containedPattern(source: string): Item {
  const what = "the regular expression";
  return itemOf(readPattern(source, { dotAll: false, what }), true, what);
}

/** The texts that match from their beginning to their end; with the flags `s` and `u`. */
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
  const whole: Part = isContained ? { kind: "all", parts: [ANYTHING, part, ANYTHING] } : part;
  try {
    return automatonItem(whole, (look) => contextOf(look, { isAtStart: true, isAtEnd: false }));
  } catch (error) {
    if (error instanceof NotLocal)
      throw inexpressible(`${what}: a grammar cannot express looking ahead inside of \`(?<=\` or \`(?<!\``);
    if (!(error instanceof TooLarge)) throw error;
    throw inexpressible(
      `${what} exceeds a limit: a grammar needs too many parts for what looks ahead or behind in it; write it without ` +
        "`(?=`, `(?!`, `(?<=`, `(?<!` and `\\b` in or beside repetitions",
      "LIMIT_EXCEEDED",
    );
  }
}

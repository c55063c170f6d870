/** Languages of the values of JSON strings. */
import { both, except, oneOfTexts, ONE_CHARACTER, repeat } from "../regular/items.js";
import type { Item } from "../text/rules.js";
import { containedPattern } from "../patterns/pattern.js";
import { formatItem } from "./formats.js";

export { inJson, Speller } from "./json.js";

export interface StringConstraints {
  /** Regular expressions that each match somewhere in the value. */
  readonly patterns?: readonly string[];
  /** Names of formats; those that are not known say nothing. */
  readonly formats?: readonly string[];
  /** Code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Values that are not in it. */
  readonly excluded?: readonly string[];
  /** Regular items of values that are not in it. */
  readonly without?: readonly Item[];
}

/** The values that meet all constraints. Throws `InputError` for a pattern. */
export function stringLanguage({
  patterns = [],
  formats = [],
  minLength = 0,
  maxLength = Infinity,
  excluded = [],
  without = [],
}: StringConstraints): Item {
  const items = [
    ...patterns.map(containedPattern),
    ...formats.flatMap((format) => formatItem(format) ?? []),
    repeat(ONE_CHARACTER, minLength, maxLength),
  ];
  return except(both(...items), ...(excluded.length === 0 ? [] : [oneOfTexts(excluded)]), ...without);
}

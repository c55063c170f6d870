/** What texts are in JSON: inside of quotes, where some characters are escaped. */
import { spend } from "../budget.js";
import { all, any, complement, text, type Item, type Ranges, withoutForm } from "../text/rules.js";

/** What is escaped in JSON: control characters, the quote and the backslash. */
const ESCAPED: Ranges = [
  [1, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
];

/** A character that is not escaped. */
export const ANY_TEXT: Item & { readonly kind: "class" } = { kind: "class", ranges: ESCAPED, isNegated: true };

/** The same text in JSON. Of classes, the characters that are escaped do not come unless there are no others. */
export function inJson(item: Item): Item {
  spend();
  switch (item.kind) {
    case "text":
      return text(item.characters.flatMap(escapedInJson));
    case "class": {
      const positive = item.isNegated ? complement(item.ranges) : item.ranges;
      const kept = complement([...complement(positive), ...ESCAPED]);
      if (kept.length > 0) return { kind: "class", ranges: kept, isNegated: false };
      const few = positive.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
      return any(few.map((character) => text(escapedInJson(character))));
    }
    case "rule":
      return item;
    case "all":
      return all(item.items.map(inJson));
    case "any":
      return any(item.items.map(inJson));
    case "repeat":
      return { ...item, item: inJson(item.item) };
    default:
      return withoutForm(item);
  }
}

const escapedInJson = (character: number): number[] =>
  Array.from(JSON.stringify(String.fromCodePoint(character)).slice(1, -1), (part) => part.codePointAt(0)!);

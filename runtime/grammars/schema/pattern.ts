/** Patterns of texts in JSON, as XGrammar reads them: inside the quotes, where some characters are escaped. */
import { complement, LAST_CHARACTER, OnlyLlama, simpleClass, type Item, type Ranges } from "../text/rules.js";

/** Throws `OnlyLlama` for a class that it has no form for. */
export function jsonPattern(item: Item): string {
  switch (item.kind) {
    case "text":
      return item.characters.map(inJson).join("");
    case "class":
      return classOf(item);
    case "rule":
      throw new Error("a regular expression has no rules");
    case "all":
      return item.items.map(jsonPattern).join("");
    case "any":
      return `(?:${item.items.map(jsonPattern).join("|")})`;
    case "repeat":
      return `(?:${jsonPattern(item.item)})${times(item.min, item.max)}`;
  }
}

function times(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === 0 && max === 1 ? "?" : `{${min},${max}}`;
}

/** What is escaped in JSON: control characters, the quote and the backslash. */
const ESCAPED: Ranges = [
  [1, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
];

const inJson = (character: number): string =>
  Array.from(JSON.stringify(String.fromCodePoint(character)).slice(1, -1), (part) => plain(part)).join("");

/** A character that stands for itself. */
const plain = (character: string): string =>
  /^[A-Za-z0-9 ]$/.test(character) || character > "\x7f"
    ? character
    : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The characters of a class that are not escaped in JSON; those that are do not come. */
function classOf(item: Item & { readonly kind: "class" }): string {
  const { ascii, wide } = simpleClass(item);
  const outside: Ranges = [...complement(ascii), ...ESCAPED];
  const kept = complement([...outside, [0x80, LAST_CHARACTER]]);
  if (wide === "all") return `[^${members(complement([...kept, [0x80, LAST_CHARACTER]]))}]`;
  const written = wide.map((character) => plain(String.fromCodePoint(character)));
  const parts = [...(kept.length > 0 ? [`[${members(kept)}]`] : []), ...written];
  if (parts.length === 0) throw new OnlyLlama("a class of characters that are escaped in JSON");
  return parts.length === 1 ? parts[0]! : `(?:${parts.join("|")})`;
}

/** XGrammar prints members anew, where a `^` must not come first. */
function members(ranges: Ranges): string {
  const texts = ranges.flatMap(([from, to]) =>
    from <= CARET && CARET <= to ? split(from, to) : [[from, to] as const],
  );
  const caret = ranges.some(([from, to]) => from <= CARET && CARET <= to) ? plain("^") : "";
  const printed = texts.map(([from, to]) => {
    const [first, last] = [plain(String.fromCharCode(from)), plain(String.fromCharCode(to))];
    return from === to ? first : `${first}-${last}`;
  });
  // a class of `^` alone is a range
  return printed.length === 0 ? `${caret}-${caret}` : `${printed.join("")}${caret}`;
}

const CARET = 0x5e;
const split = (from: number, to: number): (readonly [number, number])[] =>
  (
    [
      [from, CARET - 1],
      [CARET + 1, to],
    ] as const
  ).filter(([first, last]) => first <= last);

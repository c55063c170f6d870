/** What may come between the parts of JSON. */
import { all, any, textOf, type Item } from "../text/rules.js";

export interface SchemaOptions {
  /**
   * What may come between the parts: nothing; what `JSON.stringify(v)`, `JSON.stringify(v, null, n)` and Python's `json.dumps` write;
   * or all that JSON allows. A model that writes blanks without end is kept from it by the first two.
   * @default "usual"
   */
  readonly whitespace?: "none" | "usual" | "any";
  /**
   * Whether the members of an object come in the order of `properties`, and others after them, or in any order.
   * @default "declared"
   */
  readonly order?: "declared" | "any";
}

export interface Blanks {
  readonly rules: readonly (readonly [name: string, item: Item])[];
  /** After an opening mark, and before a closing one. */
  readonly inner: Item;
  /** A comma, and what is around it. */
  readonly comma: Item;
  readonly colon: Item;
}

/** The most blanks and tabs after the end of a line: four a level, for 16 levels. */
const MOST_BLANKS = 64;

const characters = (...codes: readonly number[]): Item => ({
  kind: "class",
  ranges: codes.map((code) => [code, code] as const),
  isNegated: false,
});
const repeat = (item: Item, max: number): Item => ({ kind: "repeat", item, min: 0, max });

const ITEMS: Readonly<Record<"none" | "usual" | "any", Item>> = {
  none: textOf(""),
  usual: any([textOf(""), textOf(" "), all([textOf("\n"), repeat(characters(9, 32), MOST_BLANKS)])]),
  any: repeat(characters(9, 10, 13, 32), Infinity),
};

export function blanks(kind: "none" | "usual" | "any"): Blanks {
  if (kind === "none") return { rules: [], inner: ITEMS.none, comma: textOf(","), colon: textOf(":") };
  const inner: Item = { kind: "rule", name: "a blank" };
  const rules = [["a blank", ITEMS[kind]]] as const;
  const isAny = kind === "any";
  return {
    rules,
    inner,
    comma: isAny ? all([inner, textOf(","), inner]) : all([textOf(","), inner]),
    colon: isAny ? all([inner, textOf(":"), inner]) : all([textOf(":"), repeat(textOf(" "), 1)]),
  };
}

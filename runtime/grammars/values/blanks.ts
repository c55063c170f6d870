/** What may come between the parts of JSON. */
import { all, any, textOf, type Item } from "../text/rules.js";
import type { SchemaSource } from "../types.js";

/** The options of a `SchemaSource` that say how its values are written; without `others`, any come. */
export type SchemaOptions = {
  readonly [Name in "whitespace" | "order" | "others"]?: NonNullable<SchemaSource[Name]>;
};

type Whitespace = Required<SchemaOptions>["whitespace"];

export interface Blanks {
  readonly rules: readonly (readonly [name: string, item: Item])[];
  /** After an opening mark, and before a closing one. */
  readonly inner: Item;
  /** A comma, and what is around it. */
  readonly comma: Item;
  readonly colon: Item;
}

/** The most levels that lines are indented by, and the blanks or tabs of a level. */
export const MOST_LEVELS = 16;
const BLANKS_OF_LEVEL = 4;

const characters = (...codes: readonly number[]): Item => ({
  kind: "class",
  ranges: codes.map((code) => [code, code] as const),
  isNegated: false,
});
const repeat = (item: Item, max: number): Item => ({ kind: "repeat", item, min: 0, max });

const usual = (levels: number): Item =>
  any([textOf(""), textOf(" "), all([textOf("\n"), repeat(characters(9, 32), levels * BLANKS_OF_LEVEL)])]);

const ITEMS: Readonly<Record<Whitespace, (levels: number) => Item>> = {
  none: () => textOf(""),
  line: () => repeat(textOf(" "), 1),
  usual,
  any: () => repeat(characters(9, 10, 13, 32), Infinity),
};

/** @param levels of arrays and objects in the values */
export function blanks(kind: Whitespace, levels: number): Blanks {
  if (kind === "none") return { rules: [], inner: textOf(""), comma: textOf(","), colon: textOf(":") };
  const inner: Item = { kind: "rule", name: "a blank" };
  const rules = [["a blank", ITEMS[kind](levels)]] as const;
  const isAny = kind === "any";
  return {
    rules,
    inner,
    comma: isAny ? all([inner, textOf(","), inner]) : all([textOf(","), inner]),
    colon: isAny ? all([inner, textOf(":"), inner]) : all([textOf(":"), repeat(textOf(" "), 1)]),
  };
}

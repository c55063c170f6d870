/** The values of a set, if they are few. */
import { marked } from "../marks.js";
import type { Item } from "../text/rules.js";
import { listedNumber } from "./numberItems.js";
import { literal, spelledText } from "./spelled.js";
import { isNested, type NumberRange, type Values } from "./values.js";

const MOST_INTEGERS = 1000;

/** For each of the values its texts; undefined if the set has more than can be listed. */
export function listedIn(values: Values): readonly (readonly Item[])[] | undefined {
  const { hasNull, booleans, numbers, ranges, texts, languages } = values;
  if (isNested(values) || languages.length > 0) return undefined;
  const integers = new Set<number>(numbers);
  for (const range of ranges) {
    const count = sizeOf(range);
    if (count === undefined) return undefined;
    for (let i = 0; i < count; i++) integers.add(range.min + i);
  }
  return [
    ...(hasNull ? [[literal("null")]] : []),
    ...booleans.map((value) => [literal(String(value))]),
    ...[...integers].map((value) => [marked("number", listedNumber(value))]),
    ...[...texts].map((value) => [marked("string", spelledText(value))]),
  ];
}

function sizeOf({ min, max, kind, step }: NumberRange): number | undefined {
  if (min === max && !step) return 1;
  const count = max - min + 1;
  return kind === "integer" && !step && count <= MOST_INTEGERS && Number.isSafeInteger(min) ? count : undefined;
}

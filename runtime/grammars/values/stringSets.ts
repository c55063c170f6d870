/** Sets of texts: intersections and differences of patterns, formats and lengths. */
import { show } from "@ggsl/compiler/core/show.js";
import { spend } from "../budget.js";
import { isExactFormat } from "../strings/formats.js";
import { ANY_STRING, NoForm, type StringSet } from "./values.js";

const merged = (a: readonly string[], b: readonly string[]): readonly string[] =>
  a.length === 0 ? b : b.length === 0 ? a : [...new Set([...a, ...b])];

/** Undefined if it is empty, as far as lengths and equal parts show. */
export function intersectStrings(a: StringSet, b: StringSet): StringSet | undefined {
  spend();
  if (a === ANY_STRING || a === b) return b;
  if (b === ANY_STRING) return a;
  const set: StringSet = {
    patterns: merged(a.patterns, b.patterns),
    formats: merged(a.formats, b.formats),
    notPatterns: merged(a.notPatterns, b.notPatterns),
    notFormats: merged(a.notFormats, b.notFormats),
    minLength: Math.max(a.minLength, b.minLength),
    maxLength: Math.min(a.maxLength, b.maxLength),
    excluded: united(a.excluded, b.excluded),
  };
  return isImpossible(set) ? undefined : set;
}

function isImpossible({ patterns, formats, notPatterns, notFormats, minLength, maxLength }: StringSet): boolean {
  return (
    minLength > maxLength ||
    notPatterns.some((pattern) => patterns.includes(pattern)) ||
    notFormats.some((format) => formats.includes(format))
  );
}

function united<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  spend((a.size + b.size) / 8);
  return new Set([...a, ...b]);
}

export const without = (set: StringSet, texts: ReadonlySet<string>): StringSet =>
  texts.size === 0 ? set : { ...set, excluded: united(set.excluded, texts) };

/** What is in the first set and not in the second, but for texts that the second excludes, which come beside. */
export function subtractStrings(a: StringSet, b: StringSet): StringSet[] {
  const narrow = [...b.formats, ...b.notFormats].find((format) => !isExactFormat(format));
  if (narrow !== undefined) throw new NoForm(`texts that are not of the format ${show(narrow)} have no grammar`);
  const parts: StringSet[] = [
    ...b.patterns.map((pattern) => ({ ...ANY_STRING, notPatterns: [pattern] })),
    ...b.notPatterns.map((pattern) => ({ ...ANY_STRING, patterns: [pattern] })),
    ...b.formats.map((format) => ({ ...ANY_STRING, notFormats: [format] })),
    ...b.notFormats.map((format) => ({ ...ANY_STRING, formats: [format] })),
    ...(b.minLength > 0 ? [{ ...ANY_STRING, maxLength: b.minLength - 1 }] : []),
    ...(b.maxLength < Infinity ? [{ ...ANY_STRING, minLength: b.maxLength + 1 }] : []),
  ];
  return parts.flatMap((part) => intersectStrings(a, part) ?? []);
}

/** Whether each text is in it. */
export const isAnyString = (set: StringSet): boolean =>
  set === ANY_STRING ||
  (set.patterns.length === 0 &&
    set.formats.length === 0 &&
    set.notPatterns.length === 0 &&
    set.notFormats.length === 0 &&
    set.minLength === 0 &&
    set.maxLength === Infinity &&
    set.excluded.size === 0);

const keys = new WeakMap<StringSet, string>();

/** Equal for equal sets. */
export function keyOfStrings(set: StringSet): string {
  const known = keys.get(set);
  if (known !== undefined) return known;
  const { patterns, formats, notPatterns, notFormats, minLength, maxLength, excluded } = set;
  const key = JSON.stringify([patterns, formats, notPatterns, notFormats, minLength, `${maxLength}`, [...excluded]]);
  keys.set(set, key);
  return key;
}

/** Whether a format is all that is known of the texts. */
export const isFormat = (set: StringSet): boolean =>
  set.formats.length === 1 &&
  set.patterns.length + set.notPatterns.length + set.notFormats.length + set.excluded.size === 0 &&
  set.minLength === 0 &&
  set.maxLength === Infinity;

/** Sets of texts as languages over their characters: what they contain is in none of JSON's spellings yet. */
import { Regular, type Node } from "../regular/regular.js";
import { stringLanguage } from "../strings/language.js";
import type { Item } from "../text/rules.js";
import { trieOf } from "./trie.js";
import { isAnyString, isFormat, keyOfStrings } from "./stringSets.js";
import type { StringSet } from "./values.js";

export function itemOfStrings(set: StringSet): Item {
  const { patterns, formats, notPatterns, notFormats, minLength, maxLength, excluded } = set;
  return stringLanguage({
    patterns,
    formats,
    minLength,
    maxLength,
    without: [
      ...(excluded.size > 0 ? [trieOf([...excluded])] : []),
      ...notPatterns.map((pattern) => stringLanguage({ patterns: [pattern] })),
      ...notFormats.map((format) => stringLanguage({ formats: [format] })),
    ],
  });
}

/** The most languages that are looked at to find a text of one. */
const MOST_SEEN = 300;

/** Answers questions about sets of texts; each pattern is read once. */
export class StringQuestions {
  private readonly regular = new Regular();
  private readonly parts = new Map<string, Node>();
  private readonly sets = new Map<string, Node>();
  private readonly empty = new Map<Node, boolean>();

  has(set: StringSet, text: string): boolean {
    if (isAnyString(set)) return true;
    if (set.excluded.has(text)) return false;
    if (set.minLength > 0 || set.maxLength < Infinity) {
      const length = Array.from(text).length;
      if (length < set.minLength || length > set.maxLength) return false;
    }
    const matches = (part: Node): boolean => this.regular.matches(part, text);
    return (
      set.patterns.every((pattern) => matches(this.pattern(pattern))) &&
      set.formats.every((format) => matches(this.format(format))) &&
      !set.notPatterns.some((pattern) => matches(this.pattern(pattern))) &&
      !set.notFormats.some((format) => matches(this.format(format)))
    );
  }

  isEmpty(set: StringSet): boolean {
    const { patterns, formats, notPatterns, notFormats, minLength, maxLength, excluded } = set;
    if (minLength > maxLength) return true;
    const parts = patterns.length + formats.length + notPatterns.length + notFormats.length;
    if (parts === 0) return maxLength === 0 && excluded.has("");
    const hasBounds = minLength > 0 || maxLength < Infinity || excluded.size > 0;
    // each format has texts
    if (isFormat(set)) return false;
    if (parts === 1 && !hasBounds && patterns.length === 1) return this.isEmptyNode(this.pattern(patterns[0]!));
    const key = keyOfStrings(set);
    const node = this.sets.get(key) ?? this.regular.of(itemOfStrings(set));
    this.sets.set(key, node);
    return this.isEmptyNode(node);
  }

  /** Looks at some of what can follow; a language that has no text among it counts as one with texts. */
  private isEmptyNode(start: Node): boolean {
    const { none } = this.regular.nodes;
    const known = this.empty.get(start);
    if (known !== undefined) return known;
    const seen = new Set([start]);
    const isWitness = (node: Node): boolean => node.isNullable || (!node.hasLogic && node !== none);
    let isEmpty = true;
    // a set visits what is added on the way
    for (const node of seen) {
      isEmpty = !isWitness(node) && seen.size < MOST_SEEN;
      if (!isEmpty) break;
      for (const next of this.regular.steps(node).values()) if (next !== none) seen.add(next);
    }
    this.empty.set(start, isEmpty);
    return isEmpty;
  }

  private pattern(pattern: string): Node {
    return this.part(`pattern ${pattern}`, () => stringLanguage({ patterns: [pattern] }));
  }

  private format(format: string): Node {
    return this.part(`format ${format}`, () => stringLanguage({ formats: [format] }));
  }

  private part(key: string, item: () => Item): Node {
    const known = this.parts.get(key) ?? this.regular.of(item());
    this.parts.set(key, known);
    return known;
  }
}

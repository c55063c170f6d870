/**
 * Groups and repetitions as rules of their own. XGrammar builds such rules also, but without a lookahead, and its masks are slow
 * where a token crosses the end of a rule that has none.
 */
import { spend } from "../budget.js";
import { all, any, text, type Item, type Rules } from "./rules.js";

/** The most characters of a counted class that are written out, and of all counted classes of a grammar. */
const MOST_COPIES = 32;
const MOST_COPIES_OF_ALL = 4000;

type Repeat = Item & { readonly kind: "repeat" };

/**
 * The same grammar: a rule is alternatives of sequences, whose parts are texts, classes, repeated classes, names of rules, and
 * counted rules.
 * @param isClass whether XGrammar has one class for an item
 */
export function flat(rules: Rules, isClass: (item: Item) => boolean): Rules {
  const result = new Map<string, Item>();
  let count = 0;
  let left = MOST_COPIES_OF_ALL;
  const named = (make: (self: Item) => Item): Item => {
    spend();
    const self: Item = { kind: "rule", name: `flat ${++count}` };
    // its place in the order
    result.set(self.name, self);
    result.set(self.name, alternatives(make(self)));
    return self;
  };
  const ruleOf = (item: Item): Item => (item.kind === "rule" ? item : named(() => item));
  const copies = (item: Item, n: number): Item[] => Array.from({ length: n }, () => item);

  const upTo = (item: Item, n: number): Item[] =>
    n === 0 ? [] : [named(() => any([text([]), all([item, ...upTo(item, n - 1)])]))];

  const repeated = (repeat: Repeat): Item[] => {
    const { item, min, max } = repeat;
    if (isClass(item)) {
      const length = max === Infinity ? min : max;
      if (length > Math.min(MOST_COPIES, left)) return [repeat];
      left -= length;
      return [...copies(item, min), ...(max === Infinity ? [{ ...repeat, min: 0 }] : upTo(item, max - min))];
    }
    if (max === 0) return [];
    if (min === 0 && max === 1) return [named(() => any([text([]), item]))];
    const rule = ruleOf(item);
    if (max !== Infinity || min > 1) return [{ ...repeat, item: rule }];
    return [...copies(rule, min), named((self) => any([text([]), all([rule, self])]))];
  };
  const parts = (item: Item): Item[] => {
    spend();
    switch (item.kind) {
      case "all":
        return item.items.flatMap(parts);
      case "any":
        return [ruleOf(item)];
      case "repeat":
        return repeated(item);
      case "text":
        return item.characters.length === 0 ? [] : [item];
      default:
        return [item];
    }
  };
  const flattened = (item: Item): Item[] => (item.kind === "any" ? item.items.flatMap(flattened) : [all(parts(item))]);
  const alternatives = (item: Item): Item => any(flattened(item));

  for (const [name, item] of rules) {
    result.set(name, item);
    result.set(name, alternatives(item));
  }
  return result;
}

/** Writes sets of values as rules over the characters of JSON. */
import { spend } from "../budget.js";
import { inJson } from "../strings/language.js";
import { all, any, ROOT, text, textOf, type Item, type Rules } from "../text/rules.js";
import { blanks, type Blanks, type SchemaOptions } from "./blanks.js";
import { fault, unenforced } from "./faults.js";
import { listedIn } from "./listed.js";
import { multiples } from "./multiples.js";
import { INTEGER, listedNumber, NUMBER, rangeItem } from "./numberItems.js";
import type { Sets } from "./space.js";
import { itemOfStrings } from "./stringItems.js";
import { isAnyString, without } from "./stringSets.js";
import { whyEmpty } from "./empty.js";
import {
  ANY_STRING,
  NoForm,
  type ArraySet,
  type Lazy,
  type NumberRange,
  type ObjectSet,
  type StringSet,
  type Values,
} from "./values.js";

const rule = (name: string): Item => ({ kind: "rule", name });
const repeat = (item: Item, min: number, max: number): Item => ({ kind: "repeat", item, min, max });
const quoted = (inside: Item): Item => all([textOf('"'), inside, textOf('"')]);
const EMPTY = text([]);

/** The names of rules that are no part of a schema have no `#`. */
const TEXT = "a text";
const NUMBER_RULE = "a number";
const INTEGER_RULE = "an integer";

export class Writer {
  private readonly rules = new Map<string, Item>();
  private readonly items = new Map<Lazy, Item>();
  private readonly waiting: { readonly name: string; readonly values: Values }[] = [];
  private readonly languages = new Map<StringSet, Item>();
  private readonly blanks: Blanks;
  private count = 0;

  constructor(
    private readonly sets: Sets,
    private readonly options: Required<SchemaOptions>,
  ) {
    this.blanks = blanks(options.whitespace);
  }

  whole(root: Lazy): Rules {
    if (this.sets.isEmpty(root))
      throw fault(whyEmpty(root, this.sets), "no value is valid: its keywords exclude each other");
    this.rules.set(ROOT, EMPTY);
    for (const [name, item] of this.blanks.rules) this.rules.set(name, item);
    this.rules.set(ROOT, this.item(root));
    // not by recursion: schemas may be deep
    for (let next = this.waiting.pop(); next; next = this.waiting.pop())
      this.rules.set(next.name, this.union(next.values));
    return this.rules;
  }

  /** A value of a set, which is not empty. */
  private item(lazy: Lazy): Item {
    const known = this.items.get(lazy);
    if (known) return known;
    spend();
    const values = this.sets.valuesOf(lazy);
    const item = this.short(values) ?? this.named(lazy, values);
    this.items.set(lazy, item);
    return item;
  }

  private named(lazy: Lazy, values: Values): Item {
    const name = lazy.path === undefined ? `part ${++this.count}` : `#${lazy.path}`;
    this.waiting.push({ name, values });
    return rule(name);
  }

  private shared(name: string, make: () => Item): Item {
    if (!this.rules.has(name)) this.rules.set(name, make());
    return rule(name);
  }

  /** Of a set of one kind without bounds. */
  private short({ hasNull, booleans, numbers, ranges, texts, languages, arrays, objects }: Values): Item | undefined {
    const kinds = [hasNull, booleans.length, numbers.size, ranges.length, texts.size, languages.length];
    if (kinds.filter(Boolean).length + arrays.length + objects.length !== 1) return undefined;
    if (hasNull) return textOf("null");
    if (booleans.length === 2) return any([textOf("true"), textOf("false")]);
    if (languages.length === 1 && isAnyString(languages[0]!)) return this.language(ANY_STRING);
    if (ranges.length === 1 && isUnbounded(ranges[0]!)) return this.range(ranges[0]!);
    return undefined;
  }

  private union(values: Values): Item {
    const items: Item[] = [];
    if (values.hasNull) items.push(textOf("null"));
    for (const value of values.booleans) items.push(textOf(String(value)));
    for (const value of values.numbers) items.push(listedNumber(value));
    for (const range of values.ranges) items.push(this.range(range));
    for (const value of values.texts) items.push(listedText(value));
    for (const set of values.languages) if (!this.sets.isEmptyString(set)) items.push(this.language(set));
    for (const set of values.arrays) for (const item of this.array(set)) items.push(item);
    for (const set of values.objects) for (const item of this.object(set)) items.push(item);
    return any(items);
  }

  private range(range: NumberRange): Item {
    if (isUnbounded(range))
      return range.kind === "any" ? this.shared(NUMBER_RULE, () => NUMBER) : this.shared(INTEGER_RULE, () => INTEGER);
    if (!range.step) return rangeItem(range);
    try {
      const made = multiples({ ...range, step: range.step }, `multiple ${++this.count}`);
      for (const [name, item] of made.rules) this.rules.set(name, item);
      return made.item;
    } catch (error) {
      if (error instanceof NoForm) throw unenforced(range.at!, error.message);
      throw error;
    }
  }

  private language(set: StringSet): Item {
    if (isAnyString(set)) return this.shared(TEXT, () => quoted(inJson(itemOfStrings(ANY_STRING))));
    const known = this.languages.get(set) ?? quoted(inJson(itemOfStrings(set)));
    this.languages.set(set, known);
    return known;
  }

  private list(inside: Item, isEmpty: boolean, [open, close]: readonly [string, string]): Item {
    const { inner } = this.blanks;
    return isEmpty
      ? all([textOf(open), inner, textOf(close)])
      : all([textOf(open), inner, inside, inner, textOf(close)]);
  }

  private array(set: ArraySet): Item[] {
    const { sets } = this;
    if (sets.isEmptyArray(set)) return [];
    if (set.unique && set.max > 1 && !this.areDifferent(set)) return this.different(set);
    if (set.contains.length > 0) return this.containing(set);
    const { min } = set;
    // the first item that cannot be ends the array
    const last = set.prefix.findIndex((item) => sets.isEmpty(item));
    const hasRest = last < 0 && set.max > set.prefix.length && !sets.isEmpty(set.rest);
    const prefix = (last < 0 ? set.prefix : set.prefix.slice(0, last)).map((item) => this.item(item));
    const max = hasRest ? set.max : Math.min(set.max, prefix.length);
    if (max === 0) return [this.list(EMPTY, true, ["[", "]"])];
    const comma = this.blanks.comma;
    const some = (): Item => {
      if (prefix.length === 0) {
        const item = this.item(set.rest);
        return all([item, repeat(all([comma, item]), Math.max(min, 1) - 1, max - 1)]);
      }
      const after = hasRest
        ? repeat(all([comma, this.item(set.rest)]), Math.max(min - prefix.length, 0), max - prefix.length)
        : EMPTY;
      let inside = after;
      for (let n = Math.min(prefix.length, max) - 1; n >= 0; n--) {
        const more = all([n > 0 ? comma : EMPTY, prefix[n]!, inside]);
        inside = n < min || n === 0 ? more : repeat(more, 0, 1);
      }
      return inside;
    };
    const whole = this.list(some(), false, ["[", "]"]);
    return min > 0 ? [whole] : [this.list(EMPTY, true, ["[", "]"]), whole];
  }

  /** Whether items at two places are always different: no value is in two of them. */
  private areDifferent({ prefix, rest, max }: ArraySet): boolean {
    const places = max > prefix.length && !this.sets.isEmpty(rest) ? [...prefix, rest] : prefix;
    if (max > prefix.length + 1 && places.length > prefix.length) return false;
    return places.every((a, i) => places.slice(i + 1).every((b) => this.sets.isEmpty(this.sets.intersection(a, b))));
  }

  /** Arrays whose items are of a list, each at most once. */
  private different({ prefix, rest, contains, min, max, unique }: ArraySet): Item[] {
    const values = prefix.length === 0 && contains.length === 0 ? listedIn(this.sets.valuesOf(rest)) : undefined;
    if (!values) throw unenforced(unique!, "the items are not of a list of values, of which each could come once");
    const members = values.map((value) => ({ item: any(value), isRequired: false }));
    return this.counted({ members, order: "any", min, max });
  }

  /** Arrays with items that must be among the others. */
  private containing({ prefix, rest, contains, min, max }: ArraySet): Item[] {
    const [first, second] = contains;
    if (prefix.length > 0) throw unenforced(first!.at, "it has no grammar beside items that have their own places");
    if (second) throw unenforced(second.at, "an array that must contain several things has no grammar");
    const { value, min: least, max: most, at } = first!;
    const matching = this.sets.intersection(rest, value);
    const other = most === Infinity ? rest : this.sets.difference(rest, value, at);
    const count = most === Infinity ? least : most;
    if (count > MOST_CONTAINED)
      throw unenforced(at, `a count of more than ${MOST_CONTAINED} has no grammar of a useful size`);
    if (count > 0 && this.sets.isEmpty(matching))
      return least > 0 ? [] : this.counted({ members: [], order: "any", ...this.others(other), min, max });
    const item = count === 0 ? EMPTY : this.item(matching);
    const members = Array.from({ length: count }, (_, i) => ({ item, isRequired: i < least }));
    return this.counted({ members, order: "any", ...this.others(other), min, max });
  }

  private others(lazy: Lazy): { others?: Item } {
    return this.sets.isEmpty(lazy) ? {} : { others: this.item(lazy) };
  }

  private counted(members: Omit<Item & { kind: "members" }, "kind" | "separator">): Item[] {
    const hasNone = members.min === 0 && !members.members.some(({ isRequired }) => isRequired);
    const most = members.others ? members.max : Math.min(members.max, members.members.length);
    const none = hasNone ? [this.list(EMPTY, true, ["[", "]"])] : [];
    if (most === 0) return none;
    const inside: Item = { kind: "members", ...members, separator: this.blanks.comma, min: Math.max(members.min, 1) };
    return [...none, this.list(inside, false, ["[", "]"])];
  }

  private object(set: ObjectSet): Item[] {
    const { sets } = this;
    if (sets.isEmptyObject(set)) return [];
    const { colon } = this.blanks;
    const declared: { item: Item; isRequired: boolean }[] = [];
    const free: typeof declared = [];
    for (const [name, { value, isRequired, isDeclared }] of set.named)
      if (!sets.isEmpty(value))
        (isDeclared ? declared : free).push({ item: all([listedText(name), colon, this.item(value)]), isRequired });
    const named = new Set(set.named.keys());
    const others: Item[] = [];
    for (const { names, value } of set.classes) {
      const rest = without(names, named);
      if (!sets.isEmpty(value) && !sets.isEmptyString(rest))
        others.push(all([this.language(rest), colon, this.item(value)]));
    }
    const members = { declared, free, ...(others.length > 0 && { others: any(others) }) };
    const required = [...declared, ...free].filter(({ isRequired }) => isRequired).length;
    // a name among the others can come twice, and counts once
    if (others.length > 0 && set.min > required + 1)
      throw unenforced(
        set.minAt ?? { path: "", keyword: "minProperties" },
        `names that are not in \`required\` can come twice, so that at most ${required + 1} can be asked for here`,
      );
    const count = declared.length + free.length;
    const max = others.length > 0 ? set.max : Math.min(set.max, count);
    const none = set.min === 0 && required === 0 ? [this.list(EMPTY, true, ["{", "}"])] : [];
    if (max === 0) return none;
    const inside = this.members(members, Math.max(set.min, 1), max);
    return [...none, this.list(inside, false, ["{", "}"])];
  }

  /** At least one member: those that are declared in their order, and after them the others. */
  private members({ declared, free, ...others }: Members, min: number, max: number): Item {
    const separator = this.blanks.comma;
    const part = { kind: "members" as const, separator };
    if (free.length === 0) return { ...part, members: declared, order: this.options.order, ...others, min, max };
    const isCounted = min > 1 || max < declared.length + free.length || (others.others && max < Infinity);
    if (declared.length === 0 || this.options.order === "any" || isCounted)
      return { ...part, members: [...declared, ...free], order: "any", ...others, min, max };
    const first: Item = { ...part, members: declared, order: "declared", min: 1, max: Infinity };
    const name = `part ${++this.count}`;
    this.rules.set(name, { ...part, members: free, order: "any", ...others, min: 1, max: Infinity });
    const after = all([separator, rule(name)]);
    const isNeeded = free.some(({ isRequired }) => isRequired);
    const both = all([first, isNeeded ? after : repeat(after, 0, 1)]);
    return declared.some(({ isRequired }) => isRequired) ? both : any([both, rule(name)]);
  }
}

interface Members {
  readonly declared: readonly { readonly item: Item; readonly isRequired: boolean }[];
  /** Those whose order is not known. */
  readonly free: readonly { readonly item: Item; readonly isRequired: boolean }[];
  readonly others?: Item;
}

/** The most items that are told from others by `contains`. */
const MOST_CONTAINED = 64;

const isUnbounded = ({ min, max, kind, step }: NumberRange): boolean =>
  min === -Infinity && max === Infinity && kind !== "fraction" && !step;

/** A text as JavaScript writes it, or with its characters above ASCII escaped, as Python does. */
function listedText(value: string): Item {
  const json = JSON.stringify(value);
  return /[^\x20-\x7e]/.test(json) ? quoted(inJson(textOf(value))) : textOf(json);
}

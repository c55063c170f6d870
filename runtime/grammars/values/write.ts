/** Writes sets of values as rules over the characters of JSON. */
import { RULE_IN_STRINGS } from "@ggsl/compiler/graph/rules.js";
import { spend, uncounted } from "../budget.js";
import { hasNames, isWanted, marked } from "../marks.js";
import { inJson, Speller } from "../strings/language.js";
import { all, any, ROOT, text, textOf, type Item, type Rules } from "../text/rules.js";
import { blanks, MOST_LEVELS, type Blanks, type SchemaOptions } from "./blanks.js";
import { levelsOf } from "./levels.js";
import { fault, unenforced } from "./faults.js";
import { arrayItems } from "./arrayItems.js";
import { objectItems } from "./objectItems.js";
import type { Writing } from "./writing.js";
import { multiples } from "./multiples.js";
import { INTEGER, listedNumber, NUMBER, rangeItem } from "./numberItems.js";
import type { Sets } from "./space.js";
import { listedText, literal, quoted } from "./spelled.js";
import { itemOfStrings } from "./stringItems.js";
import { isAnyString, isFormat, keyOfStrings } from "./stringSets.js";
import { whyEmpty } from "./empty.js";
import { ANY_STRING, NoForm, type Lazy, type NumberRange, type StringSet, type Values } from "./values.js";

const rule = (name: string): Item => ({ kind: "rule", name });
/** The parts of JSON that programs can ask about. */
const PARTS: readonly string[] = ["key", "string", "number", "literal", "object", "array", RULE_IN_STRINGS];
const EMPTY = text([]);

/** The languages of formats, for all schemas. */
const FORMATS = new Map<string, Item>();

/** The names of rules that are no part of a schema have no `#`. */
const TEXT = "a text";
const NUMBER_RULE = "a number";
const INTEGER_RULE = "an integer";

export class Writer implements Writing {
  private readonly rules = new Map<string, Item>();
  private readonly items = new Map<Lazy, Item>();
  private readonly waiting: { readonly name: string; readonly values: Values }[] = [];
  private readonly speller = new Speller();
  private readonly languages = new Map<string, Item>();
  private readonly ranges = new Map<string, Item>();
  readonly blanks: Blanks;
  readonly order: "declared" | "any";
  readonly others: "none" | "any";
  private count = 0;

  constructor(
    readonly sets: Sets,
    private readonly root: Lazy,
    { whitespace, order, others }: Required<SchemaOptions>,
  ) {
    this.blanks = blanks(whitespace, whitespace === "usual" ? levelsOf(root, { sets, others }, MOST_LEVELS) : 0);
    this.order = order;
    this.others = others;
  }

  whole(): Rules {
    const { root } = this;
    if (this.sets.isEmpty(root))
      throw fault(whyEmpty(root, this.sets), "no value is valid: its keywords exclude each other");
    hasNames(PARTS);
    this.rules.set(ROOT, EMPTY);
    for (const [name, item] of this.blanks.rules) this.rules.set(name, item);
    this.rules.set(ROOT, this.item(root));
    // not by recursion: schemas may be deep
    for (let next = this.waiting.pop(); next; next = this.waiting.pop())
      this.rules.set(next.name, this.union(next.values));
    return this.rules;
  }

  /** A value of a set, which is not empty. */
  item(lazy: Lazy): Item {
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

  /** Of a set of one kind, without parts that are sets. */
  private short({ hasNull, booleans, numbers, ranges, texts, languages, arrays, objects }: Values): Item | undefined {
    const kinds = [hasNull, booleans.length, numbers.size, ranges.length, texts.size, languages.length];
    if (kinds.filter(Boolean).length + arrays.length + objects.length !== 1) return undefined;
    if (hasNull) return literal("null");
    if (booleans.length === 2) return any([literal("true"), literal("false")]);
    if (languages.length === 1) return marked("string", this.language(languages[0]!));
    if (ranges.length === 1) return this.range(ranges[0]!);
    return undefined;
  }

  private union(values: Values): Item {
    const items: Item[] = [];
    if (values.hasNull) items.push(literal("null"));
    for (const value of values.booleans) items.push(literal(String(value)));
    for (const value of values.numbers) items.push(marked("number", listedNumber(value)));
    for (const range of values.ranges) items.push(this.range(range));
    for (const value of values.texts) items.push(marked("string", listedText(value)));
    for (const set of values.languages)
      if (!this.sets.isEmptyString(set)) items.push(marked("string", this.language(set)));
    for (const set of values.arrays) for (const item of arrayItems(set, this)) items.push(marked("array", item));
    for (const set of values.objects) for (const item of objectItems(set, this)) items.push(marked("object", item));
    return any(items);
  }

  private range(range: NumberRange): Item {
    return marked("number", this.digits(range));
  }

  private digits(range: NumberRange): Item {
    if (isUnbounded(range))
      return range.kind === "any" ? this.shared(NUMBER_RULE, () => NUMBER) : this.shared(INTEGER_RULE, () => INTEGER);
    const { min, max, kind, step } = range;
    const key = `${kind} ${min} ${max}${step ? ` ${step.units} ${step.places}` : ""}`;
    const known = this.ranges.get(key) ?? this.bounded(range);
    this.ranges.set(key, known);
    return known;
  }

  private bounded(range: NumberRange): Item {
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
    const key = keyOfStrings(set);
    // those of all schemas have no marks
    const isCommon = isFormat(set) && !isWanted(RULE_IN_STRINGS);
    const languages = isCommon ? FORMATS : this.languages;
    const made = (): Item => quoted(inJson(itemOfStrings(set), isCommon ? undefined : this.speller));
    const known = languages.get(key) ?? (isCommon ? uncounted(made) : made());
    languages.set(key, known);
    return known;
  }

  list(inside: Item, isEmpty: boolean, [open, close]: readonly [string, string]): Item {
    const { inner } = this.blanks;
    return isEmpty
      ? all([textOf(open), inner, textOf(close)])
      : all([textOf(open), inner, inside, inner, textOf(close)]);
  }

  key(names: StringSet | string): Item {
    return marked("key", typeof names === "string" ? listedText(names) : this.language(names));
  }

  rule(item: Item): Item {
    const name = `part ${++this.count}`;
    this.rules.set(name, item);
    return rule(name);
  }
}

const isUnbounded = ({ min, max, kind, step }: NumberRange): boolean =>
  min === -Infinity && max === Infinity && kind !== "fraction" && !step;

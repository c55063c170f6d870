/** The grammar of a JSON schema: from the schema as `readSchema` leaves it to rules over characters. */
import { spend } from "../budget.js";
import { readRegex } from "../text/regex.js";
import { all, any, ROOT, text, textOf, type Item, type Rules } from "../text/rules.js";
import { FORMATS, type Schema } from "./keywords.js";
import { integers } from "./integers.js";
import { numbers } from "./numbers.js";
import { ANY_TEXT, inJson } from "./pattern.js";

const rule = (name: string): Item => ({ kind: "rule", name });
const characters = (...ranges: readonly (readonly [string, string])[]): Item => ({
  kind: "class",
  ranges: ranges.map(([from, to]) => [from.charCodeAt(0), to.charCodeAt(0)]),
  isNegated: false,
});
const repeat = (item: Item, min: number, max: number): Item => ({ kind: "repeat", item, min, max });
const optional = (item: Item): Item => repeat(item, 0, 1);
const EMPTY = text([]);

const DIGIT = characters(["0", "9"]);
const HEX = characters(["0", "9"], ["a", "f"], ["A", "F"]);
const NATURAL = any([textOf("0"), all([characters(["1", "9"]), repeat(DIGIT, 0, Infinity)])]);
const INTEGER = all([optional(textOf("-")), NATURAL]);
const FRACTION = all([textOf("."), repeat(DIGIT, 1, Infinity)]);
const EXPONENT = all([
  characters(["e", "e"], ["E", "E"]),
  optional(characters(["+", "+"], ["-", "-"])),
  repeat(DIGIT, 1, 3),
]);
const ESCAPE = all([
  textOf("\\"),
  any([
    characters(['"', '"'], ["\\", "\\"], ["/", "/"], ["b", "b"], ["f", "f"], ["n", "n"], ["r", "r"], ["t", "t"]),
    all([textOf("u"), repeat(HEX, 4, 4)]),
  ]),
]);
const quoted = (inside: Item): Item => all([textOf('"'), inside, textOf('"')]);

const TEXT = quoted(repeat(any([ANY_TEXT, ESCAPE]), 0, Infinity));
const ANY_STRING: Item = rule("a text");
const ANY: Item = rule("a value");

/** Names with a blank are in no schema's definitions, whose names are quoted. */
const BASIC: Readonly<Record<string, Item>> = {
  // a weak model would write blanks without end
  "a blank": any([EMPTY, textOf(" "), all([textOf("\n"), repeat(characters([" ", " "], ["\t", "\t"]), 0, 20)])]),
  "a text": TEXT,
  "a number": all([INTEGER, optional(FRACTION), optional(EXPONENT)]),
  "an integer": INTEGER,
  "a boolean": any([textOf("true"), textOf("false")]),
  "a null": textOf("null"),
  "a value but no text": any(["a number", "a boolean", "a null", "an array", "an object"].map(rule)),
  "a value": any(["a text", "a value but no text"].map(rule)),
};
const BLANK = rule("a blank");
const COMMA = all([BLANK, textOf(","), BLANK]);
const COLON = all([BLANK, textOf(":"), BLANK]);

/** @param schema what `readSchema` returns */
export function schemaRules(schema: unknown): Rules {
  return new Maker().whole(schema);
}

/** Whether it can be any text, and nothing says where that is in it. */
const isText = (item: Item): boolean =>
  item === ANY_STRING || item === ANY || (item.kind === "any" && item.items.some(isText));

/** Whether all values of this kind with the same mark after them are one rule. */
const isShared = (item: Item): boolean => item === ANY_STRING || item === ANY;

class Maker {
  private readonly made = new Map<string, Item>(Object.entries(BASIC));
  private count = 0;

  whole(schema: unknown): Rules {
    this.made.set("an array", this.list({}));
    this.made.set("an object", this.open(ANY, 0, Infinity));
    const { $defs = {}, definitions = {} } = (schema === true ? {} : schema) as Readonly<Record<string, Schema>>;
    for (const [place, schemas] of Object.entries({ $defs, definitions }))
      for (const [name, definition] of Object.entries(schemas))
        this.made.set(`#/${place}/${name}`, this.item(definition));
    this.made.set("#", this.item(schema));
    return new Map([[ROOT, rule("#")], ...this.made]);
  }

  private item(schema: unknown): Item {
    spend();
    if (schema === true) return ANY;
    const { $ref, enum: values, anyOf, type, ...rest } = schema as Schema;
    if (typeof $ref === "string") return rule($ref);
    if (values !== undefined) return any((values as unknown[]).map((value) => textOf(JSON.stringify(value))));
    if (anyOf !== undefined) return any((anyOf as unknown[]).map((one) => this.item(one)));
    switch (type) {
      case "integer":
        return integers(rest as Readonly<Record<string, number>>) ?? rule("an integer");
      case "number":
        return Object.keys(rest).length === 0 ? rule("a number") : numbers(rest)!;
      case "string":
        return this.string(rest);
      case "array":
        return this.list(rest);
      case "object":
        return this.object(rest);
      case undefined:
        return ANY;
      default:
        return rule(`a ${type as string}`);
    }
  }

  private string({ pattern, format, minLength = 0, maxLength = Infinity }: Schema): Item {
    if (typeof pattern === "string") return quoted(inJson(readRegex(pattern).get(ROOT)!));
    if (typeof format === "string") return quoted(inJson(readRegex(FORMATS[format]!).get(ROOT)!));
    if (minLength === 0 && maxLength === Infinity) return ANY_STRING;
    return quoted(repeat(ANY_TEXT, minLength as number, maxLength as number));
  }

  /** A rule of its own: what is repeated and named is there once. */
  private named(given: Item | ((self: Item) => Item)): Item {
    spend();
    if (typeof given !== "function" && given.kind === "rule") return given;
    const self = rule(`part ${++this.count}`) as Item & { readonly kind: "rule" };
    this.made.set(self.name, typeof given === "function" ? given(self) : given);
    return self;
  }

  /** A value that is written more than once: a rule, unless it can be any text. */
  private shared(item: Item): Item {
    if (!isText(item)) return this.named(item);
    return item.kind === "any" ? any(item.items.map((one) => this.shared(one))) : item;
  }

  /**
   * A value and what follows it. A text and what follows are in one rule: nearly every token is allowed in a text, and those that
   * end it are decided beforehand up to the end of the rule.
   */
  private followed(value: Item, after: readonly Item[]): Item {
    if (!isText(value)) return all([value, ...after]);
    const values =
      value === ANY ? [ANY_STRING, rule("a value but no text")] : value.kind === "any" ? value.items : [value];
    if (values.length === 1) return all([TEXT, ...after]);
    const rest = after.length === 1 ? after[0]! : this.named(all(after));
    return any(values.map((one) => this.followed(one, [rest])));
  }

  /** A value, and what comes between it and a mark. */
  private closed(value: Item, mark: string): Item {
    const end = [BLANK, textOf(mark)];
    if (!isShared(value)) return this.followed(value, end);
    const name = `${value === ANY ? "a value" : "a text"} ${mark}`;
    if (!this.made.has(name)) this.made.set(name, this.followed(value, end));
    return rule(name);
  }

  /** Values with commas between them, each after its `name`, and what closes the list. */
  private items(item: Item, close: string, min: number, max: number, name: Item = EMPTY): Item {
    const end = textOf(close);
    if (max === 0) return end;
    const least = Math.max(min, 1) - 1;
    const some = (): Item => {
      if (max !== Infinity) {
        const one = this.named(all([name, this.named(item)]));
        return all([one, repeat(all([COMMA, one]), least, max - 1), BLANK, end]);
      }
      const last = this.named((self) =>
        all([name, this.followed(item, [BLANK, any([end, all([textOf(","), BLANK, self])])])]),
      );
      return all([repeat(all([name, this.closed(item, ","), BLANK]), least, least), last]);
    };
    return min > 0 ? some() : any([end, some()]);
  }

  private list({ prefixItems = [], items = true, minItems = 0, maxItems = Infinity }: Schema): Item {
    const first = (prefixItems as unknown[]).map((schema) => this.named(this.item(schema)));
    const others = items === false ? undefined : this.shared(this.item(items));
    const [min, max] = [minItems as number, Math.min(maxItems as number, others ? Infinity : first.length)];
    if (first.length === 0) return all([textOf("["), BLANK, others ? this.items(others, "]", min, max) : textOf("]")]);
    // from the last one on: what comes after `n` items
    const listed = Math.min(first.length, max);
    let after = listed === max ? EMPTY : repeat(all([COMMA, others!]), Math.max(min - listed, 0), max - listed);
    for (let n = listed - 1; n >= 0; n--) {
      const more = this.named(all([n > 0 ? COMMA : EMPTY, first[n]!, after]));
      after = n < min ? more : optional(more);
    }
    return all([textOf("["), BLANK, after, BLANK, textOf("]")]);
  }

  private object({
    properties = {},
    required = [],
    additionalProperties,
    minProperties = 0,
    maxProperties,
  }: Schema): Item {
    const min = minProperties as number;
    const max = (maxProperties as number | undefined) ?? Infinity;
    if (additionalProperties !== false) return this.open(this.shared(this.item(additionalProperties)), min, max);
    const names = Object.keys(properties as Schema);
    const values = names.map((name) => this.shared(this.item((properties as Schema)[name])));
    const needed = new Set(required as string[]);
    const needs = names.map((name) => needed.has(name));
    const isCounted = min > 0 || max < names.length;
    const lastNeeded = needs.lastIndexOf(true);
    const mayEnd = (i: number, n: number): boolean => i > lastNeeded && n >= min;
    const of = { names, values, needs, max, isCounted, mayEnd };
    // the properties from the i-th on, after each number of others; without bounds only whether there is one
    let from: readonly (Item | undefined)[] = [];
    for (let i = names.length - 1; i >= 0; i--) {
      const counts = isCounted ? Math.min(i, max) : Math.min(i, 1);
      const next: Members = { ...of, from };
      from = Array.from({ length: counts + 1 }, (_, n) => this.members(i, n, next));
    }
    const [some] = from;
    const inside = [...(some ? [some] : []), ...(mayEnd(0, 0) || !some ? [textOf("}")] : [])];
    return all([textOf("{"), BLANK, any(inside)]);
  }

  private members(i: number, n: number, of: Members): Item | undefined {
    spend();
    if (n >= of.max) return undefined;
    const count = of.isCounted ? n + 1 : 1;
    const others = of.from[count];
    const mayEnd = of.mayEnd(i + 1, count);
    const value = of.values[i]!;
    const comma = others && [textOf(","), BLANK, others];
    const rest = (): Item => {
      if (!comma) return this.closed(value, "}");
      if (!mayEnd) return all([this.closed(value, ","), ...comma.slice(1)]);
      // a text that two marks can follow is one of two rules that others share: each rule with a text takes time to prepare
      if (isShared(value)) return any([this.closed(value, "}"), all([this.closed(value, ","), ...comma.slice(1)])]);
      return this.followed(value, [BLANK, any([textOf("}"), all(comma)])]);
    };
    const taken = (comma ?? mayEnd) && all([textOf(JSON.stringify(of.names[i])), COLON, rest()]);
    const left = of.needs[i] ? undefined : of.from[n];
    const parts = [...(taken ? [taken] : []), ...(left ? [left] : [])];
    return parts.length === 0 ? undefined : this.named(any(parts));
  }

  /** An object of any names. */
  private open(value: Item, min: number, max: number): Item {
    const name = all([this.closed(ANY_STRING, ":"), BLANK]);
    return all([textOf("{"), BLANK, this.items(value, "}", min, max, name)]);
  }
}

interface Members {
  readonly names: readonly string[];
  readonly values: readonly Item[];
  readonly needs: readonly boolean[];
  readonly max: number;
  readonly isCounted: boolean;
  readonly mayEnd: (i: number, n: number) => boolean;
  /** The members after these, by the number of those before. */
  readonly from: readonly (Item | undefined)[];
}

/** The grammar of a JSON schema: from the schema as `readSchema` leaves it to rules over characters. */
import { readRegex } from "../text/regex.js";
import { all, any, ROOT, text, textOf, type Item, type Rules } from "../text/rules.js";
import { FORMATS } from "./keywords.js";
import { integers } from "./integers.js";
import { ANY_TEXT, inJson } from "./pattern.js";

type Schema = Readonly<Record<string, unknown>>;

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

/** Names with a blank are in no schema's definitions, whose names are quoted. */
const BASIC: Readonly<Record<string, Item>> = {
  // a weak model would write blanks without end
  "a blank": any([EMPTY, textOf(" "), all([textOf("\n"), repeat(characters([" ", " "], ["\t", "\t"]), 0, 20)])]),
  "a text": quoted(repeat(any([ANY_TEXT, ESCAPE]), 0, Infinity)),
  "a number": all([INTEGER, optional(FRACTION), optional(EXPONENT)]),
  "an integer": INTEGER,
  "a boolean": any([textOf("true"), textOf("false")]),
  "a null": textOf("null"),
  "a value": any(["a text", "a number", "a boolean", "a null", "an array", "an object"].map(rule)),
};
const BLANK = rule("a blank");
const COMMA = all([BLANK, textOf(","), BLANK]);
const ANY = rule("a value");

/** @param schema what `readSchema` returns */
export function schemaRules(schema: unknown): Rules {
  return new Maker().whole(schema);
}

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
    if (schema === true) return ANY;
    const { $ref, enum: values, anyOf, type, ...rest } = schema as Schema;
    if (typeof $ref === "string") return rule($ref);
    if (values !== undefined) return any((values as unknown[]).map((value) => textOf(JSON.stringify(value))));
    if (anyOf !== undefined) return any((anyOf as unknown[]).map((one) => this.item(one)));
    switch (type) {
      case "integer":
        return integers(rest as Readonly<Record<string, number>>) ?? rule("an integer");
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
    if (minLength === 0 && maxLength === Infinity) return rule("a text");
    return quoted(repeat(ANY_TEXT, minLength as number, maxLength as number));
  }

  /** A rule of its own: what is repeated and named is there once. */
  private named(item: Item): Item {
    if (item.kind === "rule") return item;
    const name = `part ${++this.count}`;
    this.made.set(name, item);
    return rule(name);
  }

  private list({ prefixItems = [], items = true, minItems = 0, maxItems = Infinity }: Schema): Item {
    const first = (prefixItems as unknown[]).map((schema) => this.named(this.item(schema)));
    const others = items === false ? undefined : this.named(this.item(items));
    const [min, max] = [minItems as number, Math.min(maxItems as number, others ? Infinity : first.length)];
    // from the last one on: what comes after `n` items
    const after = (n: number): Item => {
      const comma = n > 0 ? COMMA : EMPTY;
      if (n >= max) return EMPTY;
      if (n < first.length) {
        const more = this.named(all([comma, first[n]!, after(n + 1)]));
        return n < min ? more : optional(more);
      }
      if (n === 0) {
        const rest = all([others!, repeat(all([COMMA, others!]), Math.max(min - 1, 0), max - 1)]);
        return min > 0 ? rest : optional(rest);
      }
      return repeat(all([COMMA, others!]), Math.max(min - n, 0), max - n);
    };
    return all([textOf("["), BLANK, after(0), BLANK, textOf("]")]);
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
    if (additionalProperties !== false) return this.open(this.item(additionalProperties), min, max);
    const names = Object.keys(properties as Schema);
    const members = names.map((name) =>
      this.member(textOf(JSON.stringify(name)), this.item((properties as Schema)[name])),
    );
    const needs = names.map((name) => (required as string[]).includes(name));
    const most = names.length;
    const isCounted = min > 0 || max < most;
    // what comes after the first `i` names, of which `n` are there; without bounds only whether one is
    const known = new Map<string, Item | undefined>();
    const after = (i: number, n: number): Item | undefined => {
      const key = `${i} ${n}`;
      if (known.has(key)) return known.get(key);
      known.set(key, this.after(i, n, { members, needs, min, max, isCounted, after }));
      return known.get(key);
    };
    return all([textOf("{"), BLANK, after(0, 0) ?? EMPTY, BLANK, textOf("}")]);
  }

  private after(i: number, n: number, of: Members): Item | undefined {
    if (n > of.max) return undefined;
    if (i === of.members.length) return n >= (of.isCounted ? of.min : 0) ? EMPTY : undefined;
    const taken = of.after(i + 1, of.isCounted ? n + 1 : 1);
    const left = of.needs[i] ? undefined : of.after(i + 1, n);
    const parts = [...(taken ? [all([n > 0 ? COMMA : EMPTY, of.members[i]!, taken])] : []), ...(left ? [left] : [])];
    return parts.length === 0 ? undefined : this.named(any(parts));
  }

  /** An object of any names. */
  private open(value: Item, min: number, max: number): Item {
    if (max === 0) return all([textOf("{"), BLANK, textOf("}")]);
    const member = this.member(rule("a text"), value);
    const list = all([member, repeat(all([COMMA, member]), Math.max(min - 1, 0), max - 1)]);
    return all([textOf("{"), BLANK, min > 0 ? list : optional(list), BLANK, textOf("}")]);
  }

  private member(name: Item, value: Item): Item {
    return this.named(all([name, BLANK, textOf(":"), BLANK, this.named(value)]));
  }
}

interface Members {
  readonly members: readonly Item[];
  readonly needs: readonly boolean[];
  readonly min: number;
  readonly max: number;
  readonly isCounted: boolean;
  readonly after: (i: number, n: number) => Item | undefined;
}

/**
 * Structural tags as rules. The free text of a tag ends where the tag's end comes for the first time, and that of triggered tags where
 * a trigger does, which one of the tags has to begin with. https://github.com/mlc-ai/xgrammar/tree/main/docs/structural_tag
 */
import { show } from "@ggsl/compiler/core/show.js";
import { InputError } from "../../core/errors.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import { wholePattern } from "../patterns/pattern.js";
import { EMPTY, NOTHING, repeat, sequence } from "../regular/items.js";
import { readGbnf } from "../text/gbnf.js";
import { any, OnlyLlama, ROOT, textOf, type Item, type Rules } from "../text/rules.js";
import { schemaRules } from "../values/schema.js";
import { FreeTexts, type FreeText } from "./free.js";
import { addRules } from "./parts.js";
import { exceeded, fault, readTag, WHOLE, type Format } from "./read.js";
import { Starts } from "./starts.js";

/** @param given a structural tag, or a format alone. Throws `InputError`. */
export function tagRules(given: unknown): Rules {
  const writer = new Writer();
  const root = readTag<Part>(given, (format, path) => writer.part(format, path));
  writer.rules.set(ROOT, writer.open(root, ""));
  return writer.rules;
}

type Triggered = Format<Part> & { readonly type: "triggered_tags" };
type Separated = Format<Part> & { readonly type: "tags_with_separator" };

/** A format that is read; equal ones are one. */
interface Part {
  readonly id: number;
  readonly format: Format<Part>;
  /** Whether it can end with free text. */
  readonly isFree: boolean;
  /** What a grammar, a schema or a pattern is. */
  readonly item?: Item;
}

class Writer {
  readonly rules = new Map<string, Item>([[ROOT, EMPTY]]);
  private readonly free = new FreeTexts(this.rules);
  private readonly parts = new Map<string, Part>();
  private readonly bodies = new Map<Part, Item>();
  /** Of all formats, as JSON. */
  private length = 0;

  part(format: Format<Part>, path: string): Part {
    const key = keyOf(format);
    this.length += key.length;
    if (this.length > GRAMMAR_LIMITS.length)
      throw exceeded(`it has more than ${GRAMMAR_LIMITS.length} characters as JSON`);
    const known = this.parts.get(key);
    if (known) return known;
    check(format, path);
    const rules = within(path, () => sourceOf(format));
    const id = this.parts.size + 1;
    const item = rules && addRules(this.rules, rules, String(id));
    const part: Part = { id, format, isFree: isFree(format), ...(item && { item }) };
    this.parts.set(key, part);
    return part;
  }

  /** What a part is, in a tag with an end; without one, "". */
  open(part: Part, end: string): Item {
    const { format, item } = part;
    if (item) return item;
    switch (format.type) {
      case "const_string":
        return textOf(format.value);
      case "any_text":
        return this.free.upTo(listed(end)).without();
      case "sequence":
        return sequence(...format.elements.map((element) => this.open(element, end)));
      case "or":
        return choice(format.elements.map((element) => this.open(element, end)));
      case "tag":
        return sequence(textOf(format.begin), this.body(part));
      case "triggered_tags":
        return this.triggered(format, end, false);
      case "tags_with_separator":
        return this.separated(format);
      default:
        throw new TypeError(`expected an item of the format ${format.type}`);
    }
  }

  /** A part and the end of its tag, which is where it comes for the first time after free text. */
  private closed(part: Part, end: string): Item {
    const { format } = part;
    if (!part.isFree) return sequence(this.open(part, end), textOf(end));
    switch (format.type) {
      case "any_text":
        return this.free.upTo([end]).until(end);
      case "triggered_tags":
        return this.triggered(format, end, true);
      case "sequence": {
        const last = format.elements.at(-1)!;
        return sequence(...format.elements.slice(0, -1).map((one) => this.open(one, end)), this.closed(last, end));
      }
      case "or": {
        const limited = format.elements.filter((one) => !one.isFree).map((one) => this.open(one, end));
        const free = format.elements.filter((one) => one.isFree).map((one) => this.closed(one, end));
        return choice([sequence(choice(limited), textOf(end)), ...free]);
      }
      default:
        throw new TypeError(`expected a format with free text, found ${format.type}`);
    }
  }

  /** A tag after its beginning, as a rule: wherever the tag can come. */
  private body(tag: Part): Item {
    const known = this.bodies.get(tag);
    if (known) return known;
    const rule: Item = { kind: "rule", name: `tag ${tag.id}` };
    this.bodies.set(tag, rule);
    const { content, end } = formatOfTag(tag);
    this.rules.set(rule.name, this.closed(content, end));
    return rule;
  }

  private triggered(format: Triggered, end: string, isClosed: boolean): Item {
    const { triggers, tags, at_least_one: isNeeded = false, stop_after_first: isLast = false } = format;
    const close = isClosed ? end : "";
    const first = this.anyOf(tags);
    if (isNeeded && isLast) return sequence(first, textOf(close));
    const free = this.free.upTo([...triggers, ...listed(end)]);
    // as many as there are triggers, for each the tags that it begins
    const byCut = new Map<string, Item[]>();
    const add = (opener: string, after: Item): void => {
      const cut = free.cutOf(opener);
      const items = byCut.get(opener.slice(0, cut)) ?? [];
      items.push(sequence(textOf(opener.slice(cut)), after));
      byCut.set(opener.slice(0, cut), items);
    };
    for (const tag of new Set(tags)) add(formatOfTag(tag).begin, this.body(tag));
    const one = choice([...byCut].map(([cut, after]) => sequence(free.until(cut), choice(after))));
    const rest = afterTags(free, close);
    const loop = isLast ? choice([rest, sequence(one, textOf(close))]) : sequence(repeat(one, 0), rest);
    return isNeeded ? sequence(first, loop) : loop;
  }

  private separated(format: Separated): Item {
    const { tags, separator, at_least_one: isNeeded = false, stop_after_first: isLast = false } = format;
    const one = this.anyOf(tags);
    const list = isLast ? one : sequence(one, repeat(sequence(textOf(separator), one), 0));
    return isNeeded ? list : choice([list, EMPTY]);
  }

  private anyOf(tags: readonly Part[]): Item {
    return choice([...new Set(tags)].map((tag) => this.open(tag, "")));
  }
}

/** Free text after the last tag, and what closes it. */
function afterTags(free: FreeText, close: string): Item {
  if (close === "") return free.without();
  const cut = free.cutOf(close);
  return sequence(free.until(close.slice(0, cut)), textOf(close.slice(cut)));
}

/** Alternatives, without those that match nothing and those that are the same. */
function choice(items: readonly Item[]): Item {
  const kept = [...new Set(items)].filter((item) => item.kind !== "any" || item.items.length > 0);
  return kept.length === 0 ? NOTHING : any(kept);
}

/** A tag's own format. */
function formatOfTag({ format }: Part): Format<Part> & { readonly type: "tag" } {
  if (format.type !== "tag") throw new TypeError(`expected a tag, found ${format.type}`);
  return format;
}

const listed = (end: string): readonly string[] => (end === "" ? [] : [end]);

/** The same for equal formats. */
function keyOf(format: Format<Part>): string {
  switch (format.type) {
    case "sequence":
    case "or":
      return JSON.stringify({ ...format, elements: idsOf(format.elements) });
    case "tag":
      return JSON.stringify({ ...format, content: format.content.id });
    case "triggered_tags":
    case "tags_with_separator":
      return JSON.stringify({ ...format, tags: idsOf(format.tags) });
    default:
      return JSON.stringify(format);
  }
}
const idsOf = (parts: readonly Part[]): readonly number[] => parts.map(({ id }) => id);

function isFree(format: Format<Part>): boolean {
  switch (format.type) {
    case "any_text":
      return true;
    case "triggered_tags":
      return !(format.at_least_one && format.stop_after_first);
    case "sequence":
      return format.elements.at(-1)!.isFree;
    case "or":
      return format.elements.some((one) => one.isFree);
    default:
      return false;
  }
}

/** What is wrong with a format beside its members. */
function check(format: Format<Part>, path: string): void {
  if (format.type === "tag" && format.end === "" && format.content.isFree)
    throw fault(`${path}/end`, 'expected a text, found "": free text, which the tag holds, goes on until its end');
  if (format.type !== "triggered_tags") return;
  const triggers = new Starts(format.triggers);
  for (const [i, tag] of format.tags.entries()) {
    const { begin } = formatOfTag(tag);
    if (triggers.end(begin, 0) === Infinity)
      throw fault(`${path}/tags/${i}/begin`, `expected one of the triggers at its beginning, found ${show(begin)}`);
  }
}

function sourceOf(format: Format<Part>): Rules | undefined {
  switch (format.type) {
    case "regex":
      return new Map([[ROOT, wholePattern(format.pattern)]]);
    case "grammar":
      return readGbnf(format.grammar);
    case "json_schema":
      return schemaRules(format.json_schema);
    default:
      return undefined;
  }
}

/** Reads a part, whose faults say where it is. */
function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof OnlyLlama) throw fault(path, `it has ${error.message}, which a tag cannot have`);
    // those of the whole tag say so themselves
    if (!(error instanceof InputError) || error.message.startsWith(WHOLE)) throw error;
    const { message } = fault(path, error.message);
    throw new InputError(message, { code: error.code, cause: error });
  }
}

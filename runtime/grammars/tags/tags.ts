/**
 * Structural tags as rules. The free text of a tag ends where the tag's end comes for the first time, and that of triggered tags where
 * a trigger does, which one of the tags has to begin with. https://github.com/mlc-ai/xgrammar/tree/main/docs/structural_tag
 */
import { GRAMMAR_LIMITS } from "../limits.js";
import { EMPTY, repeat, sequence } from "../regular/items.js";
import { ROOT, textOf, type Item, type Rules } from "../text/rules.js";
import { branches, choice, type Branch } from "./branches.js";
import { FreeTexts, type FreeText } from "./free.js";
import { addRules } from "./named.js";
import { check, formatOfTag, isFree, keyOf, sourceOf, within, type Part } from "./parts.js";
import { exceeded, readTag, type Format } from "./read.js";

/** @param given a structural tag, or a format alone. Throws `InputError`. */
export function tagRules(given: unknown): Rules {
  const writer = new Writer();
  const root = readTag<Part>(given, (format, path) => writer.part(format, path));
  writer.rules.set(ROOT, writer.open(root, ""));
  return writer.rules;
}

type Triggered = Format<Part> & { readonly type: "triggered_tags" | "free_text" };
type Separated = Format<Part> & { readonly type: "tags_with_separator" };

const listed = (end: string): readonly string[] => (end === "" ? [] : [end]);

class Writer {
  readonly rules = new Map<string, Item>([[ROOT, EMPTY]]);
  private readonly free = new FreeTexts(this.rules);
  private readonly parts = new Map<string, Part>();
  private readonly bodies = new Map<Part, Item>();
  private count = 0;
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
        return this.free.upTo([...(format.excludes ?? []), ...listed(end)]).without();
      case "sequence":
        return sequence(...format.elements.map((element) => this.open(element, end)));
      case "or":
        return choice(format.elements.map((element) => this.open(element, end)));
      case "tag":
        return sequence(textOf(format.begin), this.body(part));
      case "triggered_tags":
        return this.triggered(format, end, false);
      case "free_text":
        return this.triggered(format, end, false);
      case "tags_with_separator":
        return this.separated(format);
      case "repeat": {
        const content = this.rule(this.open(format.content, end));
        const separator = format.separator ? this.open(format.separator, end) : EMPTY;
        return sequence(content, repeat(sequence(separator, content), 0));
      }
      case "members": {
        const members = format.members.map(({ content, required: isRequired }) => ({
          item: this.open(content, end),
          isRequired,
        }));
        const separator = format.separator ? this.open(format.separator, end) : EMPTY;
        return { kind: "members", members, separator, order: "any", min: 0, max: Infinity };
      }
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
        return this.free.upTo([...(format.excludes ?? []), end]).closed(end);
      case "triggered_tags":
      case "free_text":
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
    const { triggers = [], tags = [], stop_after_first: isLast = false } = format;
    const isNeeded = format.type === "triggered_tags" && (format.at_least_one ?? false);
    const close = textOf(isClosed ? end : "");
    if (isNeeded && isLast) return sequence(this.anyOf(tags), close);
    const free = this.free.upTo([...triggers, ...listed(end)]);
    const { blocks, lead } = this.controls(format, free, end);
    const text = sequence(lead, free.without());
    const { clear: ofTags, others } = this.afterText(free, tags, lead);
    const clear = choice([ofTags, ...blocks]);
    const isClear = others.length === 0 && (!isClosed || free.isClear(end));
    // one of the tags, after free text; what is the same before all of them and the end is there once
    const one = choice([sequence(text, clear), ...others]);
    const rest = isClosed ? sequence(lead, free.closed(end)) : text;
    const all = isClear
      ? sequence(text, isLast ? repeat(clear, 0, 1) : repeat(sequence(clear, text), 0), close)
      : isLast
        ? choice([rest, sequence(one, close)])
        : sequence(repeat(one, 0), rest);
    return isNeeded ? sequence(this.anyOf(tags), all) : all;
  }

  /** What begins with a control token in free text, and free text up to the last of the control tokens that may come in it. */
  private controls(format: Triggered, free: FreeText, end: string): { readonly blocks: Item[]; readonly lead: Item } {
    if (format.type === "triggered_tags") return { blocks: [], lead: EMPTY };
    const { blocks = [], tokens = [] } = format;
    const one = tokens.map((token): Item => ({ kind: "token", token, isNegated: false }));
    return {
      blocks: blocks.map((block) => this.open(block, end)),
      lead: one.length === 0 ? EMPTY : this.rule(repeat(sequence(free.without(), choice(one)), 0)),
    };
  }

  private rule(item: Item): Item {
    const name = `part ${++this.count}`;
    this.rules.set(name, item);
    return { kind: "rule", name };
  }

  /** Tags after free text: those that are clear, and the others with the text. */
  private afterText(
    free: FreeText,
    tags: readonly Part[],
    lead: Item,
  ): { readonly clear: Item; readonly others: readonly Item[] } {
    const clear: Branch[] = [];
    const byCut = new Map<string, Branch[]>();
    for (const tag of new Set(tags)) {
      const { begin } = formatOfTag(tag);
      if (free.isClear(begin)) clear.push([begin, this.body(tag)]);
      else {
        const at = free.cutOf(begin);
        const cut = begin.slice(0, at);
        const branch: Branch = [begin.slice(at), this.body(tag)];
        const same = byCut.get(cut);
        if (same) same.push(branch);
        else byCut.set(cut, [branch]);
      }
    }
    const others = [...byCut].map(([cut, after]) => sequence(lead, free.until(cut), branches(after)));
    return { clear: branches(clear), others };
  }

  private separated(format: Separated): Item {
    const { tags, separator, at_least_one: isNeeded = false, stop_after_first: isLast = false } = format;
    const one = this.anyOf(tags);
    const list = isLast ? one : sequence(one, repeat(sequence(textOf(separator), one), 0));
    return isNeeded ? list : choice([list, EMPTY]);
  }

  private anyOf(tags: readonly Part[]): Item {
    return branches([...new Set(tags)].map((tag) => [formatOfTag(tag).begin, this.body(tag)]));
  }
}

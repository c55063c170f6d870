/**
 * Structural tags as their documentation describes them, read by trying everything, and random ones with texts that are like theirs.
 * https://github.com/mlc-ai/xgrammar/blob/main/docs/structural_tag/structural_tag.md
 */
import type { Random } from "./randomSchemas.js";

export interface Tag {
  readonly type: "tag";
  readonly begin: string;
  readonly content: Format;
  readonly end: string;
}
interface Endings {
  readonly at_least_one?: boolean;
  readonly stop_after_first?: boolean;
}
export type Format =
  | { readonly type: "const_string"; readonly value: string }
  | { readonly type: "any_text" }
  | { readonly type: "regex"; readonly pattern: string }
  | { readonly type: "grammar"; readonly grammar: string }
  | { readonly type: "json_schema"; readonly json_schema: unknown }
  | { readonly type: "sequence" | "or"; readonly elements: readonly Format[] }
  | Tag
  | (Endings & { readonly type: "triggered_tags"; readonly triggers: readonly string[]; readonly tags: readonly Tag[] })
  | (Endings & { readonly type: "tags_with_separator"; readonly tags: readonly Tag[]; readonly separator: string });

/** Leaves by what they accept, as JavaScript's expressions. */
const LEAVES: readonly (readonly [Format, RegExp])[] = [
  [{ type: "regex", pattern: "a|b+" }, /a|b+/y],
  [{ type: "grammar", grammar: 'root ::= "a" x\nx ::= "b" x | "c"' }, /ab*c/y],
  [{ type: "json_schema", json_schema: { enum: [1, 25] } }, /1|25/y],
];

/** Whether a text is one of a format. */
export const reads = (format: Format, text: string): boolean => ends(format, text, 0, "", false).has(text.length);

/**
 * Where a format can end that begins at a place.
 * @param end of the tag that it is in; "" for none
 * @param isClosed whether the end is read also, after the last part of a tag
 */
function ends(format: Format, text: string, at: number, end: string, isClosed: boolean): Set<number> {
  const places = [...open(format, text, at, end, isClosed)];
  return new Set(places);
}

function after(text: string, places: Iterable<number>, mark: string): number[] {
  return [...places].flatMap((at) => (text.startsWith(mark, at) ? [at + mark.length] : []));
}

function open(format: Format, text: string, at: number, end: string, isClosed: boolean): Iterable<number> {
  const closed = (places: Iterable<number>): Iterable<number> => (isClosed ? after(text, places, end) : places);
  const all = Array.from({ length: text.length - at + 1 }, (_, i) => at + i);
  switch (format.type) {
    case "const_string":
      return closed(after(text, [at], format.value));
    case "any_text": {
      if (end === "") return all;
      const found = text.indexOf(end, at);
      if (isClosed) return found < 0 ? [] : [found + end.length];
      return all.filter((place) => !text.slice(at, place).includes(end));
    }
    case "regex":
    case "grammar":
    case "json_schema": {
      const expression = LEAVES.find(([leaf]) => leaf === format)![1];
      const whole = new RegExp(`^(?:${expression.source})$`);
      return closed(all.filter((place) => whole.test(text.slice(at, place))));
    }
    case "or":
      return format.elements.flatMap((one) => [...ends(one, text, at, end, isClosed)]);
    case "sequence": {
      let places = new Set([at]);
      for (const [i, one] of format.elements.entries()) {
        const isLast = isClosed && i === format.elements.length - 1;
        places = new Set([...places].flatMap((place) => [...ends(one, text, place, end, isLast)]));
      }
      return places;
    }
    case "tag":
      return closed(ofTag(format, text, at));
    case "tags_with_separator": {
      const one = (place: number): number[] => format.tags.flatMap((tag) => [...ofTag(tag, text, place)]);
      const places = new Set(one(at));
      // a set visits what is added on the way
      if (!format.stop_after_first)
        for (const place of places)
          for (const next of after(text, [place], format.separator).flatMap(one)) places.add(next);
      if (!format.at_least_one) places.add(at);
      return closed(places);
    }
    case "triggered_tags": {
      const first = format.tags.flatMap((tag) => [...ofTag(tag, text, at)]);
      if (!format.at_least_one) return triggered(format, text, [at], end, isClosed);
      return format.stop_after_first ? closed(first) : triggered(format, text, first, end, isClosed);
    }
  }
}

const ofTag = ({ begin, content, end }: Tag, text: string, at: number): Set<number> =>
  new Set(after(text, [at], begin).flatMap((place) => [...ends(content, text, place, end, end !== "")]));

function triggered(
  format: Format & { readonly type: "triggered_tags" },
  text: string,
  from: readonly number[],
  end: string,
  isClosed: boolean,
): Set<number> {
  const stops = [...format.triggers, ...(end === "" ? [] : [end])];
  const result = new Set<number>();
  const begins = new Set(from);
  for (const at of begins) {
    // what comes first of a trigger and the end
    let stop = at + 1;
    while (stop <= text.length && !stops.some((one) => text.slice(at, stop).endsWith(one))) stop++;
    if (!isClosed) for (let place = at; place < Math.min(stop, text.length + 1); place++) result.add(place);
    for (let place = at; place < stop && stop <= text.length; place++) {
      // the stop is in what begins here
      const isIn = (opener: string): boolean =>
        text.startsWith(opener, place) &&
        place + opener.length >= stop &&
        stops.some((one) => text.slice(place, stop).endsWith(one));
      if (isClosed && isIn(end)) result.add(place + end.length);
      for (const tag of format.tags)
        if (isIn(tag.begin))
          for (const next of ofTag(tag, text, place)) {
            if (!format.stop_after_first) begins.add(next);
            else for (const last of isClosed ? after(text, [next], end) : [next]) result.add(last);
          }
    }
  }
  return result;
}

const MARKS = ["<a>", "<b>", "</a>", "<", ">", "aab", "``", "```"];
const one = <T>(random: Random, list: readonly T[]): T => list[random(list.length)]!;

export function randomFormat(random: Random, depth: number): Format {
  const inner = (): Format => randomFormat(random, depth - 1);
  const some = <T>(make: () => T): T[] => Array.from({ length: 1 + random(2) }, make);
  const flags = (): Endings => ({
    ...(random(2) === 0 && { at_least_one: random(2) === 0 }),
    ...(random(2) === 0 && { stop_after_first: random(2) === 0 }),
  });
  const tag = (begin: string): Tag => ({ type: "tag", begin, content: inner(), end: one(random, [...MARKS, ""]) });
  switch (depth === 0 ? random(3) : 3 + random(6)) {
    case 0:
      return { type: "const_string", value: one(random, ["a", "ab", "<c>"]) };
    case 1:
      return { type: "any_text" };
    case 2:
      return one(random, LEAVES)[0];
    case 3:
      return { type: "sequence", elements: some(inner) };
    case 4:
      return { type: "or", elements: some(inner) };
    case 5:
      return tag(one(random, MARKS));
    case 6:
      return {
        type: "tags_with_separator",
        tags: some(() => tag(one(random, MARKS))),
        separator: one(random, ["", ",", "<"]),
        ...flags(),
      };
    default: {
      const triggers = some(() => one(random, MARKS));
      const tags = some(() => tag(one(random, triggers) + one(random, ["", "a", ">"])));
      return { type: "triggered_tags", triggers, tags, ...flags() };
    }
  }
}

/** A text that is likely one of the format's. */
export function likelyText(random: Random, format: Format): string {
  const inner = (one: Format): string => likelyText(random, one);
  const free = (): string => one(random, ["", "", "a", "b", "`", "<", "c ", "aa", "é"]);
  const ofTag = ({ begin, content, end }: Tag): string => begin + inner(content) + end;
  const many = (least: boolean | undefined, last: boolean | undefined): number =>
    (least ? 1 : 0) + random(last ? (least ? 1 : 2) : 3);
  switch (format.type) {
    case "const_string":
      return format.value;
    case "any_text":
      return free() + free();
    case "regex":
      return one(random, ["a", "b", "bb"]);
    case "grammar":
      return one(random, ["ac", "abc"]);
    case "json_schema":
      return one(random, ["1", "25"]);
    case "sequence":
      return format.elements.map(inner).join("");
    case "or":
      return inner(one(random, format.elements));
    case "tag":
      return ofTag(format);
    case "tags_with_separator":
    case "triggered_tags": {
      const { at_least_one: least, stop_after_first: last } = format;
      const tags = Array.from({ length: many(least, last) }, () => ofTag(one(random, format.tags)));
      if (format.type === "tags_with_separator") return tags.join(format.separator);
      const texts = tags.map((text, i) => (i === 0 && least ? text : free() + text));
      return texts.join("") + (last && tags.length > 0 ? "" : free());
    }
  }
}

/** A text with a character more, less or other. */
export function changed(random: Random, text: string): string {
  const characters = Array.from(text);
  const at = random(characters.length + 1);
  const put = one(random, [...Array.from("ab<>`/c,1"), "", characters[at] ?? ""]);
  return [...characters.slice(0, at), put, ...characters.slice(at + random(2))].join("");
}

/** Formats that are read: which are equal, and what is wrong with one beside its members. */
import { show } from "@ggsl/compiler/core/show.js";
import { InputError } from "../../core/errors.js";
import { markedRules } from "../marks.js";
import { wholePattern } from "../patterns/pattern.js";
import { readGbnf } from "../text/gbnf.js";
import { ROOT, type Item, type Rules } from "../text/rules.js";
import { rulesOfSchema } from "../values/schema.js";
import { fault, WHOLE, type Format } from "./read.js";
import type { SchemaSource } from "../types.js";
import { Starts } from "./starts.js";

/** A format that is read; equal ones are one. */
export interface Part {
  readonly id: number;
  readonly format: Format<Part>;
  /** Whether it can end with free text. */
  readonly isFree: boolean;
  /** What a grammar, a schema or a pattern is. */
  readonly item?: Item;
}

/** A tag's own format. */
export function formatOfTag({ format }: Part): Format<Part> & { readonly type: "tag" } {
  if (format.type !== "tag") throw new TypeError(`expected a tag, found ${format.type}`);
  return format;
}

/** The same for equal formats. */
export function keyOf(format: Format<Part>): string {
  switch (format.type) {
    case "sequence":
    case "or":
      return JSON.stringify({ ...format, elements: idsOf(format.elements) });
    case "tag":
      return JSON.stringify({ ...format, content: format.content.id });
    case "triggered_tags":
    case "tags_with_separator":
      return JSON.stringify({ ...format, tags: idsOf(format.tags) });
    case "free_text":
      return JSON.stringify({ ...format, tags: idsOf(format.tags ?? []), blocks: idsOf(format.blocks ?? []) });
    case "repeat":
      return JSON.stringify({ ...format, content: format.content.id, separator: format.separator?.id });
    case "members": {
      const members = format.members.map(({ content, required }) => [content.id, required]);
      return JSON.stringify({ ...format, members, separator: format.separator?.id });
    }
    default:
      return JSON.stringify(format);
  }
}
const idsOf = (parts: readonly Part[]): readonly number[] => parts.map(({ id }) => id);

export function isFree(format: Format<Part>): boolean {
  switch (format.type) {
    case "any_text":
    case "free_text":
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

/** The parts of a list, and where they are. */
function listed(format: Format<Part>): (readonly [part: Part | undefined, at: string])[] {
  if (format.type === "repeat")
    return [
      [format.content, "content"],
      [format.separator, "separator"],
    ];
  if (format.type !== "members") return [];
  return [
    ...format.members.map(({ content }, i) => [content, `members/${i}/content`] as const),
    [format.separator, "separator"],
  ];
}

/** What is wrong with a format beside its members. */
export function check(format: Format<Part>, path: string): void {
  if (format.type === "tag" && format.end === "" && format.content.isFree)
    throw fault(`${path}/end`, 'expected a text, found "": free text, which the tag holds, goes on until its end');
  for (const [part, at] of listed(format))
    if (part?.isFree) throw fault(`${path}/${at}`, "expected no free text at its end, which has no end of its own");
  if (format.type !== "triggered_tags" && format.type !== "free_text") return;
  const { triggers: given = [], tags = [] } = format;
  const triggers = new Starts(given);
  for (const [i, tag] of tags.entries()) {
    const { begin } = formatOfTag(tag);
    if (triggers.end(begin, 0) === Infinity)
      throw fault(`${path}/tags/${i}/begin`, `expected one of the triggers at its beginning, found ${show(begin)}`);
  }
}

export function sourceOf(format: Format<Part>): Rules | undefined {
  switch (format.type) {
    case "regex":
      return new Map([[ROOT, wholePattern(format.pattern)]]);
    case "grammar":
      return markedRules(readGbnf(format.grammar));
    case "json_schema":
      return rulesOfSchema({ ...(format as object), jsonSchema: format.json_schema } as SchemaSource);
    default:
      return undefined;
  }
}

/** Reads a part, whose faults say where it is. */
export function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // those of the whole tag say so themselves
    if (!(error instanceof InputError) || error.message.startsWith(WHOLE)) throw error;
    const { message } = fault(path, error.message);
    throw new InputError(message, { code: error.code, cause: error });
  }
}

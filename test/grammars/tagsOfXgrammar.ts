/** Where version 0.1.27 of XGrammar reads structural tags otherwise: why it refuses some, and reads others wrongly. */
import type { Format } from "./randomTags.js";

export const REFUSED = {
  trigger: "a trigger without tags",
  triggers: "a tag with several triggers",
  beginning: "a trigger or an end that another one begins with",
  middle: "free text or separated tags before the end of a sequence",
  mixed: "free text or separated tags as one of several alternatives",
  end: "separated tags in a tag without an end",
  separator: "separated tags without a separator",
} as const;

export const READ = {
  again: "a trigger or an end whose first character is in one: what was read of one is forgotten where another begins",
  separator: "a separator that is the end of the tag: it takes one tag",
} as const;

/** Why it may refuse a format, and read it wrongly. */
export function differences(root: Format): ReadonlySet<string> {
  const found = new Set<string>();
  const compare = (stops: readonly string[]): void => {
    for (const [i, one] of stops.entries()) {
      if (stops.some((other, j) => i !== j && other.startsWith(one))) found.add(REFUSED.beginning);
      if (stops.some((other) => other.indexOf(one[0]!, 1) > 0)) found.add(READ.again);
    }
  };
  const visit = (format: Format, end: string): void => {
    const ends = end === "" ? [] : [end];
    switch (format.type) {
      case "any_text":
        compare(ends);
        break;
      case "sequence":
        if (format.elements.slice(0, -1).some(isUnlimited)) found.add(REFUSED.middle);
        for (const one of format.elements) visit(one, end);
        break;
      case "or":
        if (isUnlimited(format) && !format.elements.every(isUnlimited)) found.add(REFUSED.mixed);
        for (const one of format.elements) visit(one, end);
        break;
      case "tag":
        if (format.end === "" && isUnlimited(format.content)) found.add(REFUSED.end);
        visit(format.content, format.end);
        break;
      case "tags_with_separator":
        if (format.separator === "") found.add(REFUSED.separator);
        if (format.separator === end) found.add(READ.separator);
        for (const tag of format.tags) visit(tag, end);
        break;
      case "triggered_tags": {
        const { triggers, tags } = format;
        const isFirst = format.at_least_one === true && format.stop_after_first === true;
        const own = triggers.map((trigger) => tags.filter(({ begin }) => begin.startsWith(trigger)).length);
        if (!isFirst && own.includes(0)) found.add(REFUSED.trigger);
        if (own.reduce((sum, count) => sum + count, 0) > tags.length) found.add(REFUSED.triggers);
        if (!isFirst) compare([...triggers, ...ends]);
        for (const tag of tags) visit(tag, end);
        break;
      }
    }
  };
  visit(root, "");
  return found;
}

/** What it takes for one that can go on without end; in a sequence, the last part decides. */
function isUnlimited(format: Format): boolean {
  switch (format.type) {
    case "any_text":
    case "triggered_tags":
    case "tags_with_separator":
      return true;
    case "sequence":
      return isUnlimited(format.elements.at(-1)!);
    case "or":
      return format.elements.some(isUnlimited);
    default:
      return false;
  }
}

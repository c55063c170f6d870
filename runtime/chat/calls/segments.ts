/** Calls as a name between texts, with the arguments after it, as in `<function=NAME>{...}`. */
import {
  changedSegments,
  type ArgumentsForm,
  type CallItem,
  type Found,
  type ReadCall,
  type Segment,
  type Tools,
} from "./form.js";
import { JSON_ARGUMENTS } from "./arguments.js";
import { objectBegins, skipBlanks } from "./json.js";
import { literalEnd } from "./literals.js";

export const segmentsItem = (segments: readonly Segment[], args: ArgumentsForm): CallItem => ({
  segments,
  args,
  isJson: false,
  changed: (change) => segmentsItem(changedSegments(segments, change), args.changed(change)),
  read: (text, at, tools) => read({ text, tools, args, segments }, at, 0, {}),
  begin(text, at, tools) {
    const { before, after } = aroundArguments(segments);
    if (args !== JSON_ARGUMENTS || after === undefined) return "whole";
    const found = read({ text, tools, args: BEGINNING, segments: before }, at, 0, {});
    return typeof found === "object" ? { name: found.name, id: found.id, end: found.end } : found;
  },
  finish: (text, at) => literalEnd(text, at, aroundArguments(segments).after ?? ""),
});

/** What comes before the arguments, with these, and the text after them; undefined if more than a text is there. */
function aroundArguments(segments: readonly Segment[]): {
  readonly before: readonly Segment[];
  readonly after: string | undefined;
} {
  const at = segments.findIndex((one) => typeof one === "object" && one.hole === "arguments");
  const [after = "", ...more] = segments.slice(at + 1);
  return {
    before: segments.slice(0, at + 1),
    after: typeof after === "string" && more.length === 0 ? after : undefined,
  };
}

/** The bracket of an object, and what may follow it. */
const BEGINNING: ArgumentsForm = {
  ...JSON_ARGUMENTS,
  read(text, from) {
    const at = skipBlanks(text, from);
    const begins = objectBegins(text, at);
    return begins === true ? { json: "", end: at } : begins === "open" ? "open" : undefined;
  },
};

interface Reading {
  readonly text: string;
  readonly tools: Tools;
  readonly args: ArgumentsForm;
  readonly segments: readonly Segment[];
}

type SoFar = Partial<Pick<ReadCall, "name" | "arguments" | "id">>;

/** Reads from a segment on. */
function read(reading: Reading, at: number, index: number, soFar: SoFar): Found<ReadCall> {
  const { text, segments, tools, args } = reading;
  const segment = segments[index];
  if (segment === undefined) return { name: soFar.name!, arguments: soFar.arguments!, id: soFar.id, end: at };
  if (typeof segment === "string") {
    const end = literalEnd(text, at, segment) ?? gapEnd(text, at, segment);
    return typeof end === "number" ? read(reading, end, index + 1, soFar) : end;
  }
  switch (segment.hole) {
    case "name":
      return readName(reading, skipBlanks(text, at), index, soFar);
    case "arguments": {
      const found = args.read(text, at, tools.get(soFar.name!)!);
      return typeof found === "object"
        ? read(reading, found.end, index + 1, { ...soFar, arguments: found.json })
        : found;
    }
    case "index":
    case "id": {
      const found = (segment.hole === "id" ? ID : INDEX).exec(text.slice(at, at + LONGEST));
      if (!found) return at === text.length ? "open" : undefined;
      const end = at + found[0].length;
      if (end === text.length) return "open";
      return read(reading, end, index + 1, segment.hole === "id" ? { ...soFar, id: found[0] } : soFar);
    }
  }
}

const LONGEST = 128;
const INDEX = /^\d+/;
const ID = /^[\w.:-]+/;

/**
 * Where a text ends that is another one than a template writes, up to the same last mark: models of gpt-oss write ` <|constrain|>json<|message|>` where
 * their template has `<|channel|>commentary json<|message|>`.
 */
function gapEnd(text: string, at: number, segment: string): Found<number> {
  const [first, ...more] = segment.match(/<[^<>]+>|[\ufdd0-\ufdef]/g) ?? [];
  const last = more.at(-1);
  if (first === undefined || last === undefined || !segment.endsWith(last)) return undefined;
  const gap = text.slice(at, at + LONGEST);
  const end = gap.indexOf(last);
  const other = /^\w|[{}\n]/.exec(end < 0 ? gap : gap.slice(0, end));
  if (other) return undefined;
  if (end >= 0) return at + end + last.length;
  return gap.length < LONGEST ? "open" : undefined;
}

/** The name that fits what follows. */
function readName(reading: Reading, at: number, index: number, soFar: SoFar): Found<ReadCall> {
  const { text, tools } = reading;
  let isOpen = false;
  for (const name of tools.keys()) {
    if (text.startsWith(name, at)) {
      const found = read(reading, at + name.length, index + 1, { ...soFar, name });
      if (typeof found === "object") return found;
      isOpen ||= found === "open";
    } else isOpen ||= text.length - at < name.length && name.startsWith(text.slice(at));
  }
  return isOpen ? "open" : undefined;
}

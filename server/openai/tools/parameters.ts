/** Arguments one by one between marks, as in `<parameter=NAME>VALUE</parameter>`: texts as they are, other values as JSON. */
import type { Tool } from "ggsl/chat/messages.js";
import type { ArgumentsForm, Found, Segment } from "./form.js";
import { literalEnd, sharedEnd } from "./literals.js";
import { isTextOnly, parameterFormats, schemaOf, type ParameterMarks } from "./parameterFormats.js";
import { FIRST, SECOND, type Probe } from "./probes.js";

/** A call whose arguments are so, and the marks; undefined if a text has none at the name of a probe. */
export function parametersIn(
  text: string,
  nameAt: number,
  probe: Probe,
): { readonly end: number; readonly segments: readonly Segment[]; readonly marks: ParameterMarks } | undefined {
  const values = [FIRST, String(probe.arguments[FIRST]), SECOND, String(probe.arguments[SECOND])];
  const between: string[] = [];
  let at = nameAt + probe.name.length;
  for (const value of values) {
    const next = text.indexOf(value, at);
    if (next < 0) return undefined;
    between.push(text.slice(at, next));
    at = next + value.length;
  }
  const [before = "", ofText = "", middle = "", ofOther = ""] = between;
  // names and values come once
  if (between.some((part) => part.length > FAR || [...values, probe.name].some((value) => part.includes(value))))
    return undefined;
  const shared = middle.slice(middle.length - sharedEnd(before, middle));
  const open = shared.includes("<") ? shared.slice(shared.indexOf("<")) : "";
  const close = middle.slice(0, middle.length - open.length);
  const rest = text.slice(at);
  const closed = close.trim() === "" ? undefined : literalEnd(rest, 0, close.trimEnd());
  if (open === "" || typeof closed !== "number") return undefined;
  const last = /^\s*<[^<>]*>/.exec(rest.slice(closed))?.[0];
  if (last === undefined) return undefined;
  const separator = before.slice(0, before.length - open.length);
  const segments: Segment[] = [{ hole: "name" }, ...(separator === "" ? [] : [separator]), { hole: "arguments" }, last];
  return { end: at + closed + last.length, segments, marks: { open, ofText, ofOther, close } };
}

/** What is farther apart does not belong together. */
const FAR = 200;

export const parameterArguments = (marks: ParameterMarks): ArgumentsForm => ({
  literals: Object.values(marks) as string[],
  changed: (change) =>
    parameterArguments({
      open: change(marks.open),
      ofText: change(marks.ofText),
      ofOther: change(marks.ofOther),
      close: change(marks.close),
    }),
  read(text, from, tool) {
    const members: string[] = [];
    let at = from;
    for (;;) {
      const one = readParameter(text, at, marks, tool);
      if (one === "open") return "open";
      if (one === undefined) return { json: `{${members.join(", ")}}`, end: at };
      members.push(one.member);
      at = one.end;
    }
  },
  formats: (tool, options, formatsOf) => parameterFormats(marks, tool, { options, formatsOf }),
});

function readParameter(
  text: string,
  from: number,
  marks: ParameterMarks,
  tool: Tool,
): Found<{ readonly member: string; readonly end: number }> {
  const begin = literalEnd(text, from, marks.open);
  if (typeof begin !== "number") return begin;
  const [name] = /^[^<>"\n]*/.exec(text.slice(begin, begin + LONGEST_NAME))!;
  const nameEnd = begin + name.length;
  const kinds = marks.ofText === marks.ofOther ? [undefined, marks.ofText] : [true, marks.ofText, false, marks.ofOther];
  let isOpen = nameEnd === text.length;
  for (let i = 0; i < kinds.length; i += 2) {
    const [isText, mark] = [kinds[i] as boolean | undefined, kinds[i + 1] as string];
    const at = literalEnd(text, nameEnd, mark.trimEnd());
    isOpen ||= at === "open";
    if (typeof at !== "number") continue;
    return readValue({ text, at, mark, marks }, (value) => {
      const isOfText = isText ?? isTextOnly(schemaOf(tool, name.trim()));
      return `${JSON.stringify(name.trim())}: ${isOfText ? JSON.stringify(value) : jsonOf(value)}`;
    });
  }
  return isOpen ? "open" : undefined;
}

const LONGEST_NAME = 256;

interface ValueAt {
  readonly text: string;
  readonly at: number;
  readonly mark: string;
  readonly marks: ParameterMarks;
}

/** A value; a line break that belongs to a mark is not of it. */
function readValue(
  { text, at, mark, marks: { close } }: ValueAt,
  memberOf: (value: string) => string,
): Found<{ readonly member: string; readonly end: number }> {
  const core = close.trim();
  const closed = text.indexOf(core, at);
  if (closed < 0) return "open";
  let value = text.slice(at, closed);
  if (mark.endsWith("\n") && value.startsWith("\n")) value = value.slice(1);
  if (close.startsWith("\n") && value.endsWith("\n")) value = value.slice(0, -1);
  return { member: memberOf(value), end: closed + core.length };
}

/** As Python writes them. */
const PYTHON: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };

/** JSON as it is written; another text as a text. */
function jsonOf(written: string): string {
  const value = PYTHON[written.trim()] ?? written.trim();
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(written);
  }
}

/** Arguments one by one between marks, as in `<parameter=NAME>VALUE</parameter>`: texts as they are, other values as JSON. */
import type { Tool } from "../messages.js";
import type { ArgumentsForm, Found, Segment } from "./form.js";
import { literalEnd, sharedEnd } from "./literals.js";
import { pythonJson } from "./notations.js";
import { isTextOnly, kindsOf, parameterFormats, schemaOf, type ParameterMarks } from "./parameterFormats.js";
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
  const [name] = /^[^<>"\n\ufdd0-\ufdef]*/.exec(text.slice(begin, begin + LONGEST_NAME))!;
  const nameEnd = begin + name.length;
  if (nameEnd === text.length) return "open";
  const kind = kindAt(text, nameEnd, marks);
  if (typeof kind !== "object") return kind;
  return readValue({ text, at: kind.end, mark: marks.ofText, marks }, (value) => {
    const isOfText = kind.isText ?? isTextOnly(schemaOf(tool, name.trim()));
    return `${JSON.stringify(name.trim())}: ${isOfText ? JSON.stringify(value) : jsonOf(value)}`;
  });
}

/** The mark after a name, and whether it says that the value is a text. */
function kindAt(
  text: string,
  at: number,
  marks: ParameterMarks,
): Found<{ readonly isText: boolean | undefined; readonly end: number }> {
  const { before, ofText, after } = kindsOf(marks);
  const begin = literalEnd(text, at, before);
  if (typeof begin !== "number") return begin;
  if (ofText === undefined) return { isText: undefined, end: begin };
  const [word] = /^\w*/.exec(text.slice(begin, begin + LONGEST_NAME))!;
  if (begin + word.length === text.length) return "open";
  const end = literalEnd(text, begin + word.length, after);
  return typeof end === "number" ? { isText: word === ofText, end } : end;
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
  const begun = text.slice(at, at + CDATA.length);
  if (begun.length < CDATA.length && CDATA.startsWith(begun)) return "open";
  const isRaw = begun === CDATA;
  const rawEnd = isRaw ? text.indexOf(CDATA_END, at) : at;
  const closed = rawEnd < 0 ? -1 : text.indexOf(core, rawEnd);
  if (closed < 0) return "open";
  if (isRaw) return { member: memberOf(text.slice(at + CDATA.length, rawEnd)), end: closed + core.length };
  let value = text.slice(at, closed);
  if (mark.endsWith("\n") && value.startsWith("\n")) value = value.slice(1);
  if (close.startsWith("\n") && value.endsWith("\n")) value = value.slice(0, -1);
  return { member: memberOf(value), end: closed + core.length };
}

const [CDATA, CDATA_END] = ["<![CDATA[", "]]>"];

/** JSON as it is written, or of what Python writes; another text as a text. */
function jsonOf(written: string): string {
  const value = written.trim();
  try {
    JSON.parse(value);
    return value;
  } catch {
    return pythonJson(value) ?? JSON.stringify(written);
  }
}

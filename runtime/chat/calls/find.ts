/** The form of calls of a template, read off what it renders. */
import { JSON_ARGUMENTS } from "./arguments.js";
import { withMarks, type Control } from "./controls.js";
import type { CallForm, CallItem, Segment } from "./form.js";
import { jsonEnd, objectAt } from "./json.js";
import { markAround, sharedEnd, sharedLength } from "./literals.js";
import { objectItem, type ObjectKeys } from "./object.js";
import { notationArguments, notationAt } from "./notations.js";
import { parameterArguments, parametersIn } from "./parameters.js";
import { FIRST, PROBES, renderings, type Probe, type Render, type Renderings } from "./probes.js";
import { segmentsItem } from "./segments.js";

/**
 * The form of a template; undefined if it shows no call, or in a form that is not known. Rejects as `render` does.
 * @param controls the control tokens that the template names
 */
export async function findForm(render: Render, controls: readonly Control[] = []): Promise<CallForm | undefined> {
  const rendered = await renderings(render);
  const first = callIn(rendered.one, PROBES[0]);
  if (!first) return undefined;
  const text = rendered.two ?? "";
  const [one, two] = [callIn(text, PROBES[0]), callIn(text, PROBES[1])];
  const isPair = one !== undefined && two !== undefined && one.end < two.begin;
  const segments = isPair ? common(one.segments, two.segments) : first.segments;
  if (!segments) return undefined;
  const { lead, head } = headOf(rendered, first.begin);
  const item = first.itemOf(segments);
  const mark = head === "" ? (item.isJson ? "{" : "") : markOf(head, rendered);
  if (mark === "") return undefined;
  const ends = controls.flatMap(({ text, isEnd }) => (isEnd ? [text] : []));
  const between = isPair ? text.slice(one.end, two.begin) : undefined;
  const close = closeOf(rendered, first.end, ends);
  const isCut = [head, between ?? "", ...segments].some(
    (part) => typeof part === "string" && part !== upToEnd(part, ends),
  );
  // the text of the model ends there
  if (isCut) return undefined;
  return withMarks({ lead, mark, head, item, between, close, marks: new Map(), beside: [] }, controls);
}

// ---------------------------------------------------------------- calls

/** Where a call is in a text. */
interface Call {
  readonly begin: number;
  readonly end: number;
  readonly segments: readonly Segment[];
  itemOf(segments: readonly Segment[]): CallItem;
}

function callIn(text: string, probe: Probe): Call | undefined {
  const nameAt = text.indexOf(probe.name);
  return nameAt < 0 ? undefined : callAt(text.slice(0, nameAt + NEAR), nameAt, probe);
}

/** What a call has is so near to its name: a template can write very much. */
const NEAR = 2000;

function callAt(text: string, nameAt: number, probe: Probe): Call | undefined {
  const args = argumentsIn(text, nameAt + probe.name.length, probe);
  if (args) return objectCall(text, nameAt, args, probe) ?? namedCall(text, nameAt, args, probe);
  const noted = notationAt(text, nameAt + probe.name.length, probe);
  if (noted) {
    const segments: Segment[] = [{ hole: "name" }, { hole: "arguments" }];
    const itemOf: Call["itemOf"] = (one) => segmentsItem(one, notationArguments(noted.notation));
    return { begin: nameAt, end: noted.end, segments, itemOf };
  }
  const found = parametersIn(text, nameAt, probe);
  if (!found) return undefined;
  const { end, segments, marks } = found;
  return { begin: nameAt, end, segments, itemOf: (one) => segmentsItem(one, parameterArguments(marks)) };
}

interface Extent {
  readonly at: number;
  readonly end: number;
}

/** Where the arguments are, as a JSON object. */
function argumentsIn(text: string, from: number, probe: Probe): Extent | undefined {
  for (let at = text.indexOf("{", from); at >= 0; at = text.indexOf("{", at + 1)) {
    const found = objectAt(text, at);
    if (typeof found === "object" && found.value[FIRST] === probe.arguments[FIRST]) return { at, end: found.end };
  }
  return undefined;
}

function objectCall(text: string, nameAt: number, args: Extent, probe: Probe): Call | undefined {
  for (
    let at = text.lastIndexOf("{", nameAt);
    at >= nameAt - NEAR && at >= 0;
    at = at === 0 ? -1 : text.lastIndexOf("{", at - 1)
  ) {
    const end = jsonEnd(text, at);
    const found = end === undefined || end < args.end ? undefined : objectAt(text, at);
    if (typeof found !== "object") continue;
    const keys = keysOf(found.value, probe);
    if (!keys) return undefined;
    const segments = segmentsOf(text, { at, end: found.end }, args, probe);
    return { begin: at, end: found.end, segments, itemOf: (one) => objectItem(one, keys) };
  }
  return undefined;
}

function keysOf(value: Readonly<Record<string, unknown>>, probe: Probe): ObjectKeys | undefined {
  const keyWhere = (is: (value: unknown) => boolean): string | undefined =>
    Object.entries(value).find(([, one]) => is(one))?.[0];
  const name = keyWhere((one) => one === probe.name);
  const id = keyWhere((one) => one === probe.id);
  const args = keyWhere(
    (one) => typeof one === "object" && one !== null && (one as Probe["arguments"])[FIRST] === probe.arguments[FIRST],
  );
  return name === undefined || args === undefined
    ? undefined
    : { name, arguments: args, id, others: Object.keys(value) };
}

/** A name, and an id before or after it; between other texts. */
function namedCall(text: string, nameAt: number, args: Extent, probe: Probe): Call {
  const idAt = text.lastIndexOf(probe.id, nameAt);
  const begin = idAt < 0 || nameAt - idAt > FAR ? nameAt : idAt;
  const segments = segmentsOf(text, { at: begin, end: args.end }, args, probe);
  return { begin, end: args.end, segments, itemOf: (one) => segmentsItem(one, JSON_ARGUMENTS) };
}

/** An id that is farther away is not of the call. */
const FAR = 100;

function segmentsOf(text: string, { at: begin, end }: Extent, args: Extent, probe: Probe): Segment[] {
  const segments: Segment[] = [];
  const holes = [
    { at: text.indexOf(probe.name, begin), length: probe.name.length, hole: "name" },
    { at: text.indexOf(probe.id, begin), length: probe.id.length, hole: "id" },
    { at: args.at, length: args.end - args.at, hole: "arguments" },
  ] as const;
  let at = begin;
  for (const one of holes.filter((hole) => hole.at >= begin && hole.at < end).sort((a, b) => a.at - b.at)) {
    if (one.at > at) segments.push(text.slice(at, one.at));
    segments.push({ hole: one.hole });
    at = one.at + one.length;
  }
  if (at < end) segments.push(text.slice(at, end));
  return segments;
}

/** What two calls have in common: where their texts differ, it must be by a number. Undefined otherwise. */
function common(one: readonly Segment[], two: readonly Segment[]): readonly Segment[] | undefined {
  if (one.length !== two.length) return undefined;
  const parts = one.map((part, i): readonly Segment[] | undefined => {
    const other = two[i]!;
    if (typeof part !== "string" || typeof other !== "string")
      return typeof part === "object" && typeof other === "object" && part.hole === other.hole ? [part] : undefined;
    if (part === other) return [part];
    const begin = sharedLength(part, other);
    const end = sharedEnd(part.slice(begin), other.slice(begin));
    if (!/^\d+$/.test(part.slice(begin, part.length - end))) return undefined;
    const [before, after] = [part.slice(0, begin), part.slice(part.length - end)];
    return [...(before === "" ? [] : [before]), { hole: "index" }, ...(after === "" ? [] : [after])];
  });
  return parts.includes(undefined) ? undefined : (parts as readonly (readonly Segment[])[]).flat();
}

// ---------------------------------------------------------------- what is around calls

/** The text before the first call, and the blanks that come between content and it. */
function headOf(
  { one, prompt, before, afterContent }: Renderings,
  begin: number,
): { readonly lead: string; readonly head: string } {
  const same = sharedLength(before, one);
  const answer = same < before.length ? (markAround(one, same) ?? same) : same;
  const from = one.startsWith(prompt) ? Math.max(answer, prompt.length) : answer;
  const alone = one.slice(Math.min(from, begin), begin).trimStart();
  const at = afterContent?.indexOf(PROBES[0].name) ?? -1;
  const call = at < 0 ? undefined : callIn(afterContent!, PROBES[0]);
  if (!call) return { lead: "", head: alone };
  const after = afterContent!.slice(0, call.begin);
  const beside = after.trimStart();
  const head = !beside.endsWith(alone) && alone.endsWith(beside) ? beside : alone;
  const lead = after.slice(0, after.length - head.length);
  return { lead: lead.trim() === "" ? lead : "", head };
}

/** The text after the last call, without what ends each answer. */
function closeOf({ one, after }: Renderings, end: number, ends: readonly string[]): string {
  const rest = one.slice(end);
  if (upToEnd(rest, ends) !== rest) return upToEnd(rest, ends).trimEnd();
  const same = sharedEnd(rest, after);
  let at = rest.length - same;
  if (same < after.length && markAround(rest, at) !== undefined) {
    const closed = rest.slice(at).search(/[>\]]/);
    at = closed < 0 ? rest.length : at + closed + 1;
  }
  const first = after.trim() === "" ? -1 : rest.indexOf(after.trim());
  return rest.slice(0, first < 0 ? at : Math.min(at, first)).trimEnd();
}

/** Without what follows a token that ends texts. */
const upToEnd = (text: string, ends: readonly string[]): string =>
  ends.reduce((rest, end) => rest.split(end, 1)[0]!, text);

/** The beginning of a head by which it is known: up to the first mark that no answer without calls has there, or all of it. */
function markOf(head: string, { prompt, before, after }: Renderings): string {
  const others = [before.slice(sharedLength(prompt, before)), after];
  if (!/^[<[]/.test(head)) return head.trimEnd();
  for (const { index } of head.matchAll(/[>\]]/g)) {
    const mark = head.slice(0, index + 1);
    if (!others.some((text) => text.includes(mark))) return mark;
  }
  return head.trimEnd();
}

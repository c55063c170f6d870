/** Calls as JSON objects with the name and the arguments, as in `{"name": NAME, "arguments": {...}}`. */
import { JSON_ARGUMENTS } from "./arguments.js";
import { changedSegments, type CallItem, type Segment } from "./form.js";
import type { BegunCall, Found, Tools } from "./form.js";
import { jsonEnd, membersAt, objectAt, objectBegins, skipBlanks, valueEndAt } from "./json.js";

/** The members of the object. */
export interface ObjectKeys {
  readonly name: string;
  readonly arguments: string;
  readonly id: string | undefined;
  readonly others: readonly string[];
}

/** What models write beside them. */
const USUAL = ["id", "type"];

export function objectItem(segments: readonly Segment[], keys: ObjectKeys): CallItem {
  const known = new Set<string | undefined>([keys.name, keys.arguments, keys.id, ...keys.others, ...USUAL]);
  return {
    segments,
    args: JSON_ARGUMENTS,
    isJson: true,
    changed: (change) => objectItem(changedSegments(segments, change), keys),
    begin: (text, at, tools) => begun({ text, tools, keys, known }, at),
    finish: (text, at) => objectEnd(text, at),
    read(text, from, tools) {
      const at = skipBlanks(text, from);
      const [begun, key] = /^\{\s*(?:"([^"\\]*)")?/.exec(text.slice(at, at + 256)) ?? [];
      if (key === undefined ? !mayBegin(text, at, begun) : !known.has(key)) return undefined;
      const found = objectAt(text, at);
      if (typeof found !== "object") return found;
      const { [keys.name]: name, [keys.arguments]: given, [keys.id ?? "id"]: id } = found.value;
      if (typeof name !== "string" || !tools.has(name) || !isObject(given)) return undefined;
      const { at: begin, end } = membersAt(text, at).get(keys.arguments)!;
      return {
        name,
        arguments: text.slice(begin, end),
        end: found.end,
        ...(typeof id === "string" && { id }),
      };
    },
  };
}

interface Reading {
  readonly text: string;
  readonly tools: Tools;
  readonly keys: ObjectKeys;
  readonly known: ReadonlySet<string | undefined>;
}

/** Up to the arguments. What comes before the name, or has an id after it, is read as a whole. */
function begun({ text, tools, keys, known }: Reading, from: number): Found<BegunCall> | "whole" {
  const begin = skipBlanks(text, from);
  if (begin === text.length) return "open";
  if (text[begin] !== "{") return undefined;
  let at = skipBlanks(text, begin + 1);
  const seen: { name?: string; id?: string } = {};
  for (;;) {
    const member = memberAt(text, at);
    if (typeof member !== "object") return member;
    const { key, value } = member;
    if (!known.has(key)) return undefined;
    if (key === keys.arguments) {
      if (seen.name === undefined || (keys.id !== undefined && seen.id === undefined)) return "whole";
      const begins = objectBegins(text, value);
      return begins === true ? { ...seen, name: seen.name, end: value } : begins === "open" ? "open" : undefined;
    }
    const end = valueEndAt(text, value);
    if (end === "open") return "open";
    const given = parsed(text.slice(value, end));
    if (key === keys.name) {
      if (typeof given !== "string" || !tools.has(given)) return undefined;
      seen.name = given;
    } else if (key === (keys.id ?? "id") && typeof given === "string") seen.id = given;
    at = skipBlanks(text, end);
    if (at === text.length) return "open";
    if (text[at] !== ",") return undefined;
    at = skipBlanks(text, at + 1);
  }
}

/** The key at a place, and where its value begins. */
function memberAt(text: string, at: number): Found<{ readonly key: string; readonly value: number }> {
  if (at >= text.length) return "open";
  if (text[at] !== '"') return undefined;
  const end = jsonEnd(text, at);
  if (end === undefined) return "open";
  const colon = skipBlanks(text, end);
  if (colon === text.length) return "open";
  const key = parsed(text.slice(at, end));
  return typeof key === "string" && text[colon] === ":" ? { key, value: skipBlanks(text, colon + 1) } : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Where an object ends, after one of its members. */
function objectEnd(text: string, from: number): Found<number> {
  let at = skipBlanks(text, from);
  for (;;) {
    if (at === text.length) return "open";
    if (text[at] === "}") return at + 1;
    if (text[at] !== ",") return undefined;
    const member = memberAt(text, skipBlanks(text, at + 1));
    if (typeof member !== "object") return member;
    const end = valueEndAt(text, member.value);
    if (end === "open") return "open";
    at = skipBlanks(text, end);
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a text without its first key may become an object with one. */
function mayBegin(text: string, at: number, begun: string | undefined): boolean {
  if (begun === undefined) return at === text.length;
  const next = text[at + begun.length];
  return next === undefined || next === '"';
}

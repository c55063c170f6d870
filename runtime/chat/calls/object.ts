/** Calls as JSON objects with the name and the arguments, as in `{"name": NAME, "arguments": {...}}`. */
import { JSON_ARGUMENTS } from "./arguments.js";
import { changedSegments, type CallItem, type Segment } from "./form.js";
import { membersAt, objectAt, skipBlanks } from "./json.js";

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
  const known = new Set([keys.name, keys.arguments, keys.id, ...keys.others, ...USUAL]);
  return {
    segments,
    args: JSON_ARGUMENTS,
    isJson: true,
    changed: (change) => objectItem(changedSegments(segments, change), keys),
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

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a text without its first key may become an object with one. */
function mayBegin(text: string, at: number, begun: string | undefined): boolean {
  if (begun === undefined) return at === text.length;
  const next = text[at + begun.length];
  return next === undefined || next === '"';
}

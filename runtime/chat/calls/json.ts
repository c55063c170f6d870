/** JSON in a text that goes on: where a value ends, and the members of an object as they are written. */

const BLANK = /[ \t\r\n]/;

export function skipBlanks(text: string, at: number): number {
  while (at < text.length && BLANK.test(text[at]!)) at++;
  return at;
}

/** Where the text that begins at a quotation mark ends; undefined if it is not closed. */
function stringEnd(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}

/** Where the object, list or text at a place ends; undefined if it is not closed. */
export function jsonEnd(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      const end = stringEnd(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    else continue;
    if (depth <= 0) return at + 1;
  }
  return undefined;
}

export interface JsonObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly end: number;
}

/** The object at a place: `open` if it is not closed, undefined if there is none. */
export function objectAt(text: string, from: number): JsonObject | "open" | undefined {
  if (from >= text.length) return "open";
  if (text[from] !== "{") return undefined;
  const end = jsonEnd(text, from);
  if (end === undefined) return "open";
  try {
    return { value: JSON.parse(text.slice(from, end)) as JsonObject["value"], end };
  } catch {
    return undefined;
  }
}

/** The values of an object's members as they are written, by name, and where they begin. The text at `from` is an object. */
export function membersAt(
  text: string,
  from: number,
): ReadonlyMap<string, { readonly at: number; readonly end: number }> {
  const members = new Map<string, { at: number; end: number }>();
  let at = skipBlanks(text, from + 1);
  while (text[at] === '"') {
    const nameEnd = stringEnd(text, at)!;
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const begin = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const end = valueEnd(text, begin);
    members.set(name, { at: begin, end });
    at = skipBlanks(text, end);
    if (text[at] === ",") at = skipBlanks(text, at + 1);
  }
  return members;
}

function valueEnd(text: string, from: number): number {
  if (/["{[]/.test(text[from]!)) return jsonEnd(text, from)!;
  let at = from;
  while (!/[,}\] \t\r\n]/.test(text[at]!)) at++;
  return at;
}

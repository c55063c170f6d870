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

interface JsonObject {
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

/** Where the object at the beginning of a text ends, which comes in pieces. */
export class JsonScan {
  private depth = 0;
  private isText = false;
  private isEscaped = false;

  /** Where it ends in the next piece; undefined if it goes on. */
  end(piece: string): number | undefined {
    for (let at = 0; at < piece.length; at++) {
      const char = piece[at]!;
      if (this.isEscaped) this.isEscaped = false;
      else if (this.isText) {
        if (char === "\\") this.isEscaped = true;
        else if (char === '"') this.isText = false;
      } else if (char === '"') this.isText = true;
      else if (char === "{" || char === "[") this.depth++;
      else if ((char === "}" || char === "]") && --this.depth <= 0) return at + 1;
    }
    return undefined;
  }
}

/** Whether an object begins at a place: its bracket, and what may come after it. */
export function objectBegins(text: string, from: number): boolean | "open" {
  if (from >= text.length) return "open";
  if (text[from] !== "{") return false;
  const at = skipBlanks(text, from + 1);
  return at === text.length ? "open" : text[at] === '"' || text[at] === "}";
}

/** Where the value at a place ends: `open` if the text may go on in it. */
export function valueEndAt(text: string, from: number): number | "open" {
  if (from >= text.length) return "open";
  if (/["{[]/.test(text[from]!)) return jsonEnd(text, from) ?? "open";
  const length = text.slice(from).search(/[,}\] \t\r\n]/);
  return length < 0 ? "open" : from + length;
}

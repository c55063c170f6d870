/** Members of a body that is passed on as it is: it is looked at without reading it whole. */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The texts that an object of JSON in UTF-8 has by some names, as `JSON.parse` would have them: of several members of a name the last
 * one counts. What is not JSON is found by who reads it.
 */
export function memberTexts(bytes: Buffer, names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let wantsName = false;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE: {
        const end = textEnd(bytes, i);
        if (depth === 1 && wantsName) {
          name = textOf(bytes, i, end);
          wantsName = false;
          if (name !== undefined) found.delete(name);
        } else if (depth === 1 && name !== undefined && names.has(name)) {
          const text = textOf(bytes, i, end);
          if (text !== undefined) found.set(name, text);
        }
        i = end - 1;
        break;
      }
      case LIST:
        depth++;
        break;
      case OBJECT:
        if (depth++ === 0) wantsName = true;
        break;
      case COMMA:
        if (depth === 1) [wantsName, name] = [name !== undefined, undefined];
        break;
      case LIST_END:
      case OBJECT_END:
        depth--;
    }
  }
  return found;
}

/** The place after the text that begins at a quotation mark. */
function textEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return bytes.length;
}

/** Names of members and of models are short. */
const LONGEST = 1024;

/** Undefined for one that is broken, or too long to be a name. */
function textOf(bytes: Buffer, from: number, end: number): string | undefined {
  if (end - from > LONGEST) return undefined;
  try {
    return JSON.parse(bytes.toString("utf8", from, end)) as string;
  } catch {
    return undefined;
  }
}

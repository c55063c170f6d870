/** Where a JSON object ends in a text that goes on. */

/** The length of the object that a text begins with; undefined if it is not closed. */
export function jsonEnd(text: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}

/** Splits a command line like a shell: words, quotes, escapes, continued lines. Nothing is expanded. */
import { ImportError } from "./notes.js";
import type { TextNode } from "./nodes.js";

/** Words of a file, each with its line. */
export function splitWords(text: string, name: string): TextNode[] {
  const words: TextNode[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const c = text[at]!;
    if (c === "\\" && text[at + 1] === "\n") at++;
    else if (c === "#" && isWordStart(text, at)) at = lineEnd(text, at) - 1;
    else if (!/\s/.test(c)) {
      const { value, end } = readWord(text, at, `${name}:${line}`);
      words.push({ kind: "word", value, place: `${name}:${line}` });
      line += text.slice(at, end).split("\n").length - 1;
      at = end;
      continue;
    }
    if (text[at] === "\n") line++;
    at++;
  }
  return words;
}

const isWordStart = (text: string, at: number): boolean => at === 0 || /\s/.test(text[at - 1]!);

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** The word that begins at `at`, and where it ends. */
function readWord(text: string, at: number, place: string): { value: string; end: number } {
  const parts: string[] = [];
  let quote = "";
  let i = at;
  for (; i < text.length; i++) {
    const c = text[i]!;
    if (quote === "" && /\s/.test(c)) break;
    if (c === quote) quote = "";
    else if (quote === "" && (c === "'" || c === '"')) quote = c;
    else if (c === "\\" && quote !== "'") {
      const next = text[i + 1];
      if (next === undefined) break;
      if (quote === "" || '"\\$`\n'.includes(next)) i++;
      if (next === "\n") continue;
      parts.push(text[i]!);
    } else parts.push(c);
  }
  if (quote !== "") throw new ImportError(`${place}: expected ${quote} at the end of a quoted text, found none`);
  return { value: parts.join(""), end: i };
}

/** Texts that a form consists of, in what a model writes: blanks beside marks, brackets and commas may be others. */
import { skipBlanks } from "./json.js";

const isBlank = (char: string | undefined): boolean => char !== undefined && /\s/.test(char);
/** Marks, brackets, and characters that stand for control tokens. */
const BESIDE = /[<>[\]{}:,|\ufdd0-\ufdef]/;

/** Where a literal ends that a text has at a place: `open` if the text ends before it, undefined if the text has something else. */
export function literalEnd(text: string, from: number, literal: string): number | "open" | undefined {
  let [at, i] = [from, 0];
  while (i < literal.length) {
    if (isBlank(literal[i])) {
      i = skipBlanks(literal, i);
      at = skipBlanks(text, at);
    } else if (at === text.length) return "open";
    else if (text[at] === literal[i]) {
      at++;
      i++;
    } else if (isBlank(text[at]) && (i === 0 || BESIDE.test(literal[i - 1]!) || BESIDE.test(literal[i]!)))
      at = skipBlanks(text, at);
    else return undefined;
  }
  return at;
}

/** How many of the last characters of a text may begin a literal. */
export function beginningAtEnd(text: string, literal: string): number {
  for (let length = Math.min(literal.length - 1, text.length); length > 0; length--)
    if (text.endsWith(literal.slice(0, length))) return length;
  return 0;
}

/** How long two texts are the same. */
export function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

export function sharedEnd(a: string, b: string): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}

/** Whether a place is inside of a mark, such as `<mark>` or `[MARK]`; then where it begins. */
export function markAround(text: string, at: number): number | undefined {
  const begin = Math.max(text.lastIndexOf("<", at - 1), text.lastIndexOf("[", at - 1));
  if (at === 0 || begin < 0) return undefined;
  return text.slice(begin, at).includes(text[begin] === "<" ? ">" : "]") ? undefined : begin;
}

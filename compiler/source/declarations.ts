/** Where declarations begin, in texts that may have faults. */
import { KEYWORDS } from "./keywords.js";
import type { Lexeme } from "./lexemes.js";

/** Words that begin a declaration. */
export const DECLARATIONS: ReadonlySet<string> = new Set(
  Object.keys(KEYWORDS).filter((word) => KEYWORDS[word]!.group === "declaration"),
);

/** Whether a lexeme stands where a line begins, and could begin a declaration. */
export const mayDeclare = (text: string, { text: word, start }: Lexeme): boolean =>
  (start === 0 || text[start - 1] === "\n") && DECLARATIONS.has(word);

/** Whether a lexeme begins a declaration where a line begins; `input` also begins a clause of a test, and `fn` can be a name. */
export function beginsDeclaration(text: string, lexemes: readonly Lexeme[], index: number): boolean {
  if (!mayDeclare(text, lexemes[index]!)) return false;
  const { text: word, end } = lexemes[index]!;
  const [name, mark] = [lexemes[index + 1], lexemes[index + 2]?.text];
  if (word === "input") return name?.text !== ":" && name?.text !== "[" && mark === ":";
  if (word === "fn") return mark === "(" && name!.text !== "(" && /^[ \t]+$/.test(text.slice(end, name!.start));
  return true;
}

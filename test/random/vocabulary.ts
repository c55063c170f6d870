/** Vocabularies of any size: short texts, so that texts of programs go across tokens. */
import type { Vocabulary } from "../../runtime/core/vocabulary.js";
import { FIRST_TEXTS, TOKEN_CLASSES } from "./sets.js";

const LETTERS = "ab7 ";

/** The text of a token: later ones are `_` and a number in base 4, of letters. */
export function textOf(token: number): string {
  const digits = Array.from(token.toString(4), (digit) => LETTERS[Number(digit)]!);
  return FIRST_TEXTS[token] ?? `_${digits.join("")}`;
}

const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** The tokens of a text: at each place the longest that fits, the first one with its text. */
export function tokensOf(text: string, vocabSize: number): number[] {
  const tokens: number[] = [];
  for (let rest = text; rest !== "";) {
    const fitting = Array.from({ length: Math.min(vocabSize, 512) }, (_, token) => token).filter(
      (token) => textOf(token) !== "" && rest.startsWith(textOf(token)),
    );
    const [best] = fitting.sort((a, b) => textOf(b).length - textOf(a).length || a - b);
    if (best === undefined) throw new Error(`no token begins ${rest}`);
    tokens.push(best);
    rest = rest.slice(textOf(best).length);
  }
  return tokens;
}

/** Each is made once, as the runtime keeps what it finds in one. */
const vocabularies = new Map<number, Vocabulary>();

export function vocabularyOf(vocabSize: number): Vocabulary {
  const present = vocabularies.get(vocabSize);
  if (present) return present;
  const inside = (tokens: readonly number[]): number[] => tokens.filter((token) => token < vocabSize);
  const made: Vocabulary = {
    pieces: Array.from({ length: vocabSize }, (_, token) => utf8(textOf(token))),
    classes: { control: inside(TOKEN_CLASSES.control), end: inside(TOKEN_CLASSES.end) },
    tokenize: (bytes) => Int32Array.from(tokensOf(Buffer.from(bytes, "latin1").toString("utf8"), vocabSize)),
  };
  vocabularies.set(vocabSize, made);
  return made;
}

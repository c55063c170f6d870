/** Where the grammar of a program stands: by looking at all its texts. */
import { textsOf } from "../grammars.js";
import { TOKEN_CLASSES } from "../sets.js";
import { textOf } from "../vocabulary.js";

/** The grammar and what it has read. */
export interface Reading {
  readonly gbnf: string;
  readonly read: string;
}

/** An end of the text is allowed where the text is whole; other control tokens, which no grammar here names, never are. */
export function allows({ gbnf, read }: Reading, token: number): boolean {
  if (TOKEN_CLASSES.end.includes(token)) return textsOf(gbnf).some(({ text }) => text === read);
  if (TOKEN_CLASSES.control.includes(token)) return false;
  return textsOf(gbnf).some(({ text }) => text.startsWith(read + textOf(token)));
}

/** It waits at a token that it does not allow; the end of a text has no characters. */
export const readingAfter = (reading: Reading, token: number): Reading =>
  allows(reading, token) ? { ...reading, read: reading.read + textOf(token) } : reading;

/** Whether the next character may be one of a rule. */
export const isIn = ({ gbnf, read }: Reading, rule: string): boolean =>
  textsOf(gbnf).some(({ text, labels }) => text.startsWith(read) && labels[read.length]?.has(rule) === true);

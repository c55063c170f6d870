/** Phrases that must not be written: what a program or a request gives, and its checks. */
import { show } from "@ggsl/compiler/core/show.js";
import { invalid, InputError } from "../../core/errors.js";
import * as is from "../../core/check.js";
import { phraseBytes } from "./letters.js";

/** A text, as it is, or with the case of its letters ignored. */
export interface TextPhrase {
  readonly text: string;
  /**
   * Upper and lower case are the same.
   * @default false
   */
  readonly ignoreCase?: boolean | undefined;
}

/** A regular expression as those of grammars, without looks around (`^`, `$`, `\b`, `(?=`), whose longest match is bounded. */
export interface PatternPhrase {
  /** One that begins with `(?i)` ignores the case of letters. */
  readonly regex: string;
  /**
   * Upper and lower case are the same.
   * @default false
   */
  readonly ignoreCase?: boolean | undefined;
}

/** A phrase. A text alone counts as `{ text }`. */
export type Phrase = string | TextPhrase | PatternPhrase;

/** No setting raises these limits; docs/security.md lists them. */
export const PHRASE_LIMITS = {
  /** Phrases of a list. */
  phrases: 4096,
  /** Regular expressions of a list. */
  patterns: 256,
  /** Bytes of all phrases of a list. */
  bytes: 2 ** 16,
  /** Bytes of the longest text that one phrase matches: so much is held back at most. */
  longest: 1024,
  /** Places of the regular expressions of a list, with what they repeat written out. */
  places: 2 ** 11,
  /** Ways from one of these places to the next: so many are followed for a character at most. */
  ways: 2 ** 13,
} as const;

export const limited = (message: string): InputError => new InputError(message, { code: "LIMIT_EXCEEDED" });

/** The text of a phrase that is one. */
export const textIn = (phrase: Phrase): string | undefined =>
  typeof phrase === "string" ? phrase : "text" in phrase ? phrase.text : undefined;

export const ignoresCase = (phrase: Phrase): boolean => typeof phrase !== "string" && phrase.ignoreCase === true;

const OBJECT: Readonly<Record<"text" | "regex" | "ignoreCase", is.Check>> = {
  text: is.text,
  regex: is.text,
  ignoreCase: is.flag,
};
const isPhraseObject = is.object(OBJECT);

const isPhrase: is.Check = (value, name) => {
  if (typeof value === "string") return;
  if (typeof value !== "object" || value === null)
    is.refuse(name, "a text, `{ text }` or `{ regex }`, with `ignoreCase` or without", value);
  isPhraseObject(value, name);
  const { text, regex } = value as { readonly text?: string; readonly regex?: string };
  if ((text === undefined) === (regex === undefined))
    throw invalid(`\`${name}\` must have either \`text\` or \`regex\`, found ${show(value)}`);
};

/** Whether it is one at first sight: what is not has its error from `isPhrase`. */
function isPlain(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  const { text, ignoreCase } = value as Partial<TextPhrase>;
  const count = ignoreCase === undefined ? 1 : 2;
  return (
    typeof text === "string" && (count === 1 || typeof ignoreCase === "boolean") && Object.keys(value).length === count
  );
}

const someList = is.listOf("a list of phrases", () => undefined);
const isPhraseList: is.Check = (value, name) => {
  someList(value, name);
  // long lists are usual: the name of a place is only made for one that is wrong
  for (let i = 0; i < (value as readonly unknown[]).length; i++) {
    const one = (value as readonly unknown[])[i];
    if (!isPlain(one)) isPhrase(one, `${name}[${i}]`);
  }
};

/** The forms and sizes of a list; the regular expressions are checked where they are read. Throws `InputError`. */
export const phraseForms: is.Check = (value, name) => {
  const few = (what: string, found: number, most: number): void => {
    if (found > most) throw limited(`\`${name}\` must have at most ${most} ${what}, found ${found}`);
  };
  if (Array.isArray(value)) few("phrases", value.length, PHRASE_LIMITS.phrases);
  isPhraseList(value, name);
  const list = value as readonly Phrase[];
  const texts = list.map(textIn);
  few("regular expressions", texts.filter((text) => text === undefined).length, PHRASE_LIMITS.patterns);
  const empty = texts.indexOf("");
  if (empty >= 0) throw invalid(`\`${name}[${empty}]\` must not be empty: a text has an empty text everywhere`);
  const sizes = texts.map((text, i) => phraseBytes(text ?? (list[i] as PatternPhrase).regex, false).length);
  few(
    "bytes in all its phrases",
    sizes.reduce((sum, size) => sum + size, 0),
    PHRASE_LIMITS.bytes,
  );
  const long = texts.findIndex((text, i) => text !== undefined && sizes[i]! > PHRASE_LIMITS.longest);
  if (long >= 0)
    throw limited(`\`${name}[${long}]\` must have at most ${PHRASE_LIMITS.longest} bytes, found ${sizes[long]!}`);
};

/** The options of a text that must not have phrases. */
import type * as is from "../../core/check.js";
import { preparedPhrases } from "../../sequence/phrases/finder.js";
import { phraseForms, type Phrase } from "../../sequence/phrases/phrases.js";

/** Phrases that a text must not have. */
export interface PhraseOptions {
  /**
   * Texts and regular expressions that are not written. A text is held back while it may become one of them; where it is one, it is taken
   * back to the token in which the phrase begins, and goes on with another one, by the same random number. What was given stays: a phrase
   * that begins there is taken back to the first token that was held back. The prompt does not count.
   * @default none
   */
  readonly bannedPhrases?: readonly Phrase[] | undefined;
  /**
   * How often the text may be taken back because of `bannedPhrases`, at most 65536; 64 times to one place. At the next phrase it ends,
   * before it, with the finish `rewinds`.
   * @default 256
   * @unit rewinds
   */
  readonly maxRewinds?: number | undefined;
}

export const REWINDS = 256;
export const MAX_REWINDS = 2 ** 16;

/** Throws `InputError` for a list that is too long, and for a regular expression that is not right, or not bounded. */
export const phraseList: is.Check = (value, name) => {
  phraseForms(value, name);
  preparedPhrases(value as readonly Phrase[], name);
};

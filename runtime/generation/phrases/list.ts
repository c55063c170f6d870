/** The option `bannedPhrases`. */
import type * as is from "../../core/check.js";
import { preparedPhrases } from "../../sequence/phrases/finder.js";
import { phraseForms, type Phrase } from "../../sequence/phrases/phrases.js";

/** Throws `InputError` for a list that is too long, and for a regular expression that is not right, or not bounded. */
export const phraseList: is.Check = (value, name) => {
  phraseForms(value, name);
  preparedPhrases(value as readonly Phrase[], name);
};

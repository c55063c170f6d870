/** The option `feed` of a text, and vocabularies that a caller gives, checked. */
import * as is from "../../core/check.js";
import { someNumber } from "../../core/sharedOptions.js";
import type { Feed } from "./feed.js";

const columns = is.recordOf(
  "an object of columns by name",
  is.either("a list of numbers or a Map from token to number", is.map, is.listOf("a list of numbers", someNumber)),
);

export const vocabularyOption = is.either(
  "a list of texts, or a vocabulary from `loadVocabulary`",
  is.listOf("a list of texts", is.text),
  is.having({ pieces: is.listOf("a list of texts", is.text), tokenize: is.callback }),
);

const FEED: is.Checks<Feed> = {
  bias: is.map,
  inputs: columns,
  vocabulary: vocabularyOption,
  openGrammar: is.callback,
};
export const feedOption = is.object(FEED);

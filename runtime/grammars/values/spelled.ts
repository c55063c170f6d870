/** Strings, keys and words as JSON has them, with the marks of those that a program asks about. */
import { RULE_IN_STRINGS } from "@ggsl/compiler/graph/rules.js";
import { isWanted, marked } from "../marks.js";
import { inJson } from "../strings/language.js";
import { all, textOf, type Item } from "../text/rules.js";

const QUOTE = textOf('"');

export const quoted = (inside: Item): Item =>
  isWanted(RULE_IN_STRINGS) ? all([QUOTE, marked(RULE_IN_STRINGS, all([inside, QUOTE]))]) : all([QUOTE, inside, QUOTE]);

export const literal = (word: string): Item => marked("literal", textOf(word));

/** A text as JavaScript writes it. */
export function spelledText(value: string): Item {
  const json = JSON.stringify(value);
  return isWanted(RULE_IN_STRINGS) ? quoted(textOf(json.slice(1, -1))) : textOf(json);
}

/** The same, or with its characters above ASCII escaped, as Python does. */
export const listedText = (value: string): Item =>
  /[^\x20-\x7e]/.test(JSON.stringify(value)) ? quoted(inJson(textOf(value))) : spelledText(value);

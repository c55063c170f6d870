/** Lists of tokens as a user writes them, and the texts of a vocabulary. */
import { isToken } from "@ggsl/compiler/graph/values.js";
import { invalid } from "ggsl/core/errors.js";
import type { TokenList } from "../engine/messages.js";

/** `1, "</s>"`; null for any other text. */
export function readTokenList(text: string): TokenList | null {
  try {
    const list: unknown = JSON.parse(`[${text}]`);
    return isTokenList(list) ? list : null;
  } catch {
    return null;
  }
}

export const isTokenList = (value: unknown): value is TokenList =>
  Array.isArray(value) && value.every((item) => (typeof item === "string" ? item !== "" : isToken(item)));

/** A JSON list of texts, or a text on each line; undefined for an empty field. Throws `InputError` for another list. */
export function readVocabulary(text: string): readonly string[] | undefined {
  if (text.trim() === "") return undefined;
  if (!text.trimStart().startsWith('["')) return text.replace(/\n$/, "").split("\n");
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every((item) => typeof item === "string")) return list;
  } catch {
    // the error below says what was expected
  }
  throw invalid('the vocabulary must be a text on each line, or a list of texts such as ["a", " b"]');
}

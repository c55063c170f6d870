/** The phrases that the texts of a request must not have. */
import { namedPhrases } from "@ggsl/settings/from/phrases.js";
import { phraseList } from "ggsl/generation/phrases/options.js";
import type { Phrase } from "ggsl/sequence/phrases/phrases.js";
import { refusalFor } from "../faults.js";
import type { CommonBody, GivenPhrase } from "../request/bodies.js";

const phraseOf = (given: GivenPhrase): Phrase => {
  if (typeof given === "string") return given;
  const { ignore_case: ignoreCase, ...rest } = given;
  return { ...rest, ...(ignoreCase !== undefined && { ignoreCase }) } as Phrase;
};

/** Throws a `Refusal` that names the field. */
export function phrasesFor(body: CommonBody): readonly Phrase[] {
  const own = body.banned_phrases?.map(phraseOf) ?? [];
  const { banned_tokens: tokens, banned_strings: strings } = body;
  const named = namedPhrases((field) => (field === "banned_tokens" ? tokens : [strings ?? []].flat()));
  check("banned_phrases", own);
  if (named) check(named.field, named.phrases);
  const all = [...own, ...(named?.phrases ?? [])];
  if (named && own.length > 0) check("banned_phrases", all);
  return all;
}

function check(field: string, phrases: readonly Phrase[]): void {
  try {
    phraseList(phrases, field);
  } catch (error) {
    throw refusalFor(error, field);
  }
}

/** Phrases that must not be written, by the names that KoboldCpp, tabbyAPI and SillyTavern have for them. */

/** The one that counts comes first: `banned_strings` is another name, and counts without `banned_tokens`. */
export const PHRASE_FIELDS = ["banned_tokens", "banned_strings"] as const;
type PhraseField = (typeof PHRASE_FIELDS)[number];

/** Both tools look for phrases in upper or lower case. */
interface NamedPhrase {
  readonly text: string;
  readonly ignoreCase: true;
}

/** The phrases of settings or of a request, each once, and the name that counted; an empty list asks for nothing. */
export function namedPhrases(
  texts: (field: PhraseField) => readonly string[] | undefined,
): { readonly field: PhraseField; readonly phrases: readonly NamedPhrase[] } | undefined {
  for (const field of PHRASE_FIELDS) {
    const given = new Set(texts(field) ?? []);
    given.delete("");
    if (given.size > 0) return { field, phrases: Array.from(given, (text) => ({ text, ignoreCase: true })) };
  }
  return undefined;
}

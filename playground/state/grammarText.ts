/** Grammars as a user writes them: a JSON schema, or a grammar in GBNF. */
import type { GrammarText } from "../engine/messages.js";

/** A JSON object is a schema, any other text a grammar; undefined for an empty field, null for JSON that has a fault. */
export function readGrammar(text: string): GrammarText | undefined | null {
  if (text.trim() === "") return undefined;
  if (!text.trimStart().startsWith("{")) return { gbnf: text };
  try {
    JSON.parse(text);
    return { jsonSchema: text };
  } catch {
    return null;
  }
}

export const grammarText = (given: GrammarText): string => ("gbnf" in given ? given.gbnf : given.jsonSchema);

export function isGrammar(value: unknown): value is GrammarText {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const [[form, text] = [], ...more] = Object.entries(value);
  return more.length === 0 && (form === "gbnf" || form === "jsonSchema") && typeof text === "string";
}

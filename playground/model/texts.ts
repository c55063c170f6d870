/** What the tokens of a vocabulary are. */
import type { Seen } from "./types.js";

/** @param all the text of each token */
export const textsOf = (all: readonly string[]): Pick<Seen, "texts" | "textsOf"> => ({
  texts: distinct(all),
  textsOf: (tokens) => new Map(Array.from(tokens, (token) => [token, all[token] ?? ""])),
});

function distinct(texts: readonly string[]): string[] {
  const found = new Set<string>();
  return texts.map((text, token) => {
    const own = text === "" || found.has(text) ? `<token ${token}>` : text;
    found.add(own);
    return own;
  });
}

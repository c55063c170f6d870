/** A model's logits of the next token, and what its tokens are. */
export interface NextToken {
  /** One for each token of the vocabulary. */
  readonly logits: Float32Array;
  /** The text of each token. Of tokens with the same text, such as parts of characters, only the first one has it. */
  readonly texts: readonly string[];
  /** Texts of tokens, by their ids. */
  textsOf(tokens: Int32Array): ReadonlyMap<number, string>;
}

/** @param all the text of each token */
export const nextTokenOf = (logits: Float32Array, all: readonly string[]): NextToken => ({
  logits,
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

/** The model's logits of the next token. */
import { openModel } from "./model.js";

export interface NextToken {
  /** One for each token of the vocabulary. */
  readonly logits: Float32Array;
  /** The text of each token. Of tokens with the same text, such as parts of characters, only the first one has it. */
  readonly texts: readonly string[];
  /** Texts of tokens, by their ids. */
  textsOf(tokens: Int32Array): Promise<ReadonlyMap<number, string>>;
}

/** The model's logits of the token after a prompt. Rejects with `InputError`. */
export async function nextToken(prompt: string): Promise<NextToken> {
  const { worker, info } = await openModel();
  const logits = await worker.logits(prompt);
  const all = await worker.textsOf(Int32Array.from({ length: info.vocabSize }, (_, token) => token));
  return {
    logits,
    texts: distinct(all),
    async textsOf(tokens) {
      const texts = await worker.textsOf(tokens);
      return new Map(texts.map((text, i) => [tokens[i]!, text]));
    },
  };
}

function distinct(texts: readonly string[]): string[] {
  const found = new Set<string>();
  return texts.map((text, token) => {
    const own = text === "" || found.has(text) ? `<token ${token}>` : text;
    found.add(own);
    return own;
  });
}

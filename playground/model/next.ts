/** The model's logits of the next token. */
import { openModel } from "./model.js";

export interface NextToken {
  /** One for each token of the vocabulary. */
  readonly logits: Float32Array;
  /** Texts of tokens, by their ids. */
  textsOf(tokens: Int32Array): Promise<ReadonlyMap<number, string>>;
}

/** The model's logits of the token after a prompt. Rejects with `InputError`. */
export async function nextToken(prompt: string): Promise<NextToken> {
  const { worker } = await openModel();
  const logits = await worker.logits(prompt);
  return {
    logits,
    async textsOf(tokens) {
      const texts = await worker.textsOf(tokens);
      return new Map(texts.map((text, i) => [tokens[i]!, text]));
    },
  };
}

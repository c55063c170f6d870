/** Log-probabilities in the two forms of OpenAI's API. They are the model's own, before the chain. */
import type { Model } from "ggsl/models/model.js";
import type { Piece } from "ggsl/generation/pieces.js";

type Texts = Pick<Model, "textOf" | "bytesOf">;

/** JSON has no infinity; OpenAI's API gives this number. */
const LEAST = -9999;
const finite = (logprob: number): number => Math.max(logprob, LEAST);

interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

const entry = (model: Texts, token: number, logprob: number): TokenLogprob => ({
  token: model.textOf(token),
  logprob: finite(logprob),
  bytes: [...model.bytesOf(token)],
});

export type ChatLogprob = TokenLogprob & { readonly top_logprobs: readonly TokenLogprob[] };

/** Of a token of a chat. */
export const chatLogprob = (model: Texts, { token, logprob = 0, logprobs = [] }: Piece): ChatLogprob => ({
  ...entry(model, token, logprob),
  top_logprobs: logprobs.map((one) => entry(model, one.token, one.logprob)),
});

/** Of the tokens of a completion; lists of one for an event. */
interface CompletionLogprobs {
  readonly tokens: string[];
  readonly token_logprobs: number[];
  readonly top_logprobs: Record<string, number>[];
  /** In characters of the text. */
  readonly text_offset: number[];
}

export const openLogprobs = (): CompletionLogprobs => ({
  tokens: [],
  token_logprobs: [],
  top_logprobs: [],
  text_offset: [],
});

/** @param offset where the token begins in the text */
export function addLogprob(to: CompletionLogprobs, model: Texts, piece: Piece, offset: number): void {
  const { token, logprob = 0, logprobs = [] } = piece;
  to.tokens.push(model.textOf(token));
  to.token_logprobs.push(finite(logprob));
  to.top_logprobs.push(Object.fromEntries(logprobs.map((one) => [model.textOf(one.token), finite(one.logprob)])));
  to.text_offset.push(offset);
}

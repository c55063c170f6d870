/** Answers as a whole, around their choices. */
import { randomUUID } from "node:crypto";
import type { Usage } from "../../engine/texts.js";
import type { TextEndpoint } from "../../request/fields.js";

/** What all parts of an answer have. */
interface Head {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
}

const KINDS = {
  chat: { prefix: "chatcmpl", whole: "chat.completion", part: "chat.completion.chunk" },
  completions: { prefix: "cmpl", whole: "text_completion", part: "text_completion" },
} as const;

export function headOf(endpoint: TextEndpoint, model: string, isStream: boolean): Head {
  const { prefix, whole, part } = KINDS[endpoint];
  return {
    id: `${prefix}-${randomUUID().replaceAll("-", "")}`,
    object: isStream ? part : whole,
    created: Math.floor(Date.now() / 1000),
    model,
  };
}

export const usageOf = ({ promptTokens, cachedTokens, generatedTokens, drafted }: Usage): object => ({
  prompt_tokens: promptTokens,
  completion_tokens: generatedTokens,
  total_tokens: promptTokens + generatedTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
  ...(drafted && {
    completion_tokens_details: {
      accepted_prediction_tokens: drafted.accepted,
      rejected_prediction_tokens: drafted.tokens - drafted.accepted,
    },
  }),
});

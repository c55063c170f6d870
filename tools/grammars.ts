/**
 * `npm run grammars -- --texts 40 --masks 10 --vocabulary llama-bpe`: the verdicts of the engine of grammars on random texts, and
 * its masks, beside llama.cpp's, over one of llama.cpp's vocabularies; for each grammar, with the times of both.
 */
import { jest } from "./jest.js";
import { count, readArguments } from "./lib/arguments.js";
import { setUp } from "./setup.js";

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run grammars -- [--texts N] [--masks N] [--vocabulary NAME]", {
    args,
    options: {
      texts: { type: "string", default: "40" },
      masks: { type: "string", default: "10" },
      vocabulary: { type: "string", default: "llama-bpe" },
    },
  });
  const env = {
    GGSL_GRAMMAR_TEXTS: count("texts", values.texts),
    GGSL_GRAMMAR_MASKS: count("masks", values.masks),
    GGSL_GRAMMAR_VOCABULARY: `build/llama.cpp/models/ggml-vocab-${values.vocabulary}.gguf`,
  };
  await setUp();
  return jest(["test/grammars/engines", "-t", "^engines ", "--testTimeout=3600000"], { env });
}

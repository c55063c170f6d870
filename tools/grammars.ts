/**
 * `npm run grammars -- --texts 50 --vocabulary llama-bpe`: XGrammar's masks beside llama.cpp's on random texts over one of llama.cpp's
 * vocabularies, with the times of both.
 */
import { jest } from "./jest.js";
import { count, readArguments } from "./lib/arguments.js";
import { setUp } from "./setup.js";

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run grammars -- [--texts N] [--vocabulary NAME]", {
    args,
    options: { texts: { type: "string", default: "50" }, vocabulary: { type: "string", default: "llama-bpe" } },
  });
  const env = {
    GGSL_GRAMMAR_TEXTS: count("texts", values.texts),
    GGSL_GRAMMAR_VOCABULARY: `build/llama.cpp/models/ggml-vocab-${values.vocabulary}.gguf`,
  };
  await setUp();
  return jest(["test/grammars/engines", "-t", "masks", "--testTimeout=3600000"], { env });
}

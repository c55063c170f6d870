/**
 * `npm run speculation -- --texts 100 --tokens 200`: that texts with drafts are those without, with more and longer texts than
 * `npm test` has. It prints for each chain and drafter how many texts are equal.
 */
import { jest } from "./jest.js";
import { count, readArguments } from "./lib/arguments.js";
import { setUp } from "./setup.js";

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run speculation -- [--texts N] [--tokens N]", {
    args,
    options: {
      texts: { type: "string", default: "100" },
      tokens: { type: "string", default: "200" },
    },
  });
  const env = {
    GGSL_SPECULATION_TEXTS: count("texts", values.texts),
    GGSL_SPECULATION_TOKENS: count("tokens", values.tokens),
  };
  await setUp();
  return jest(["--runInBand", "--verbose", "--testTimeout=3600000", "test/speculation/exact.test.ts"], { env });
}

/**
 * `npm run speculation -- --texts 100 --tokens 200`: that texts with drafts are those without, with more and longer texts than
 * `npm test` has, a third of them with tokens that are taken back and a third saved and resumed. It prints for each chain and drafter how
 * many texts are equal.
 *
 *     --draft-model FILE  prints instead how many tokens of drafts by this model the demo model's text accepts (test/speculation/accepted.ts)
 */
import { jest } from "./jest.js";
import { count, readArguments } from "./lib/arguments.js";
import { attemptNode, ToolError } from "./lib/process.js";
import { setUp } from "./setup.js";

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run speculation -- [--texts N] [--tokens N] [--draft-model FILE]", {
    args,
    options: {
      texts: { type: "string", default: "100" },
      tokens: { type: "string", default: "200" },
      "draft-model": { type: "string" },
    },
  });
  const file = values["draft-model"];
  const env = {
    GGSL_SPECULATION_TEXTS: count("texts", values.texts),
    GGSL_SPECULATION_TOKENS: count("tokens", values.tokens),
  };
  await setUp();
  if (file !== undefined) {
    const options = ["--conditions=@ggsl/source", `--import=${import.meta.resolve("tsx")}`, "--no-warnings"];
    const counts = [env.GGSL_SPECULATION_TEXTS, env.GGSL_SPECULATION_TOKENS];
    const args = [...options, "test/speculation/accepted.ts", file, ...counts];
    const { status, reason } = await attemptNode(args, { stdio: "inherit" });
    if (reason !== undefined) throw new ToolError(`speculation: ${reason}`);
    return status;
  }
  return jest(["--runInBand", "--verbose", "--testTimeout=3600000", "test/speculation/exact.test.ts"], { env });
}

/**
 * `npm run bless`: rewrites the expected files of golden tests with what the code gives now, and shows what changed.
 * Test files may be named: `npm run bless -- test/golden`.
 */
import { jest } from "./jest.js";
import { attempt } from "./lib/process.js";
import { setUp } from "./setup.js";

export async function main(args: readonly string[]): Promise<number> {
  await setUp();
  const status = await jest(args, { env: { GGSL_BLESS: "1" } });
  const git = (...words: string[]) => attempt("git", words, { stdio: "inherit" });
  console.log("\nChanged and new files under test/ and examples/; look at them before you commit:");
  await git("--no-pager", "diff", "--stat", "--", "test", "examples");
  await git("ls-files", "--others", "--exclude-standard", "--", "test");
  return status;
}

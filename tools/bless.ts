/**
 * `npm run bless`: rewrites the golden files with the present output, and shows what changed.
 * It can be limited to test files: `npm run bless -- test/golden`.
 */
import { jest } from "./jest.js";
import { attempt } from "./lib/process.js";
import { setUp } from "./setup.js";

export async function main(args: readonly string[]): Promise<number> {
  await setUp();
  const status = await jest(args, { env: { GGSL_BLESS: "1" } });
  const git = (...words: string[]) => attempt("git", words, { stdio: "inherit" });
  console.log("\nChanged and new files under test/ and examples/; review them before you commit:");
  await git("--no-pager", "diff", "--stat", "--", "test", "examples");
  await git("ls-files", "--others", "--exclude-standard", "--", "test");
  return status;
}

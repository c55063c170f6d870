/** `npm run demo`: runs the set-up, then generates text with the demo model and examples/creative.ggsl. */
import { attemptNode } from "./lib/process.js";
import { setUp } from "./setup.js";

const COMMAND = "runtime/dist/cli/main.js";

/** More options may follow: `npm run demo -- --prompt "Call me Ishmael."` */
export async function main(options: readonly string[]): Promise<number> {
  await setUp();
  const args = ["run", "examples/creative.ggsl", "--stats", ...options];
  console.log(`\nnode ${COMMAND} ${args.map(quote).join(" ")}`);
  const { status } = await attemptNode([COMMAND, ...args], { stdio: "inherit" });
  if (status === 0)
    console.log("\nNext:\n  npx ggsl init\n  npm run playground\nREADME.md and docs/README.md go on from here.");
  return status;
}

const quote = (word: string): string => (/^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word));

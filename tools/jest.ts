/** `npm run jest -- test/golden`: runs tests without the set-up. */
import { attemptNode, type RunOptions } from "./lib/process.js";

/**
 * Of V8, for tests: each file loads its modules anew and ends soon, so that little repays being optimized. It is a tenth to a fifth of the
 * time of tests that compute in JavaScript. Not `--max-semi-space-size`: with it, a thread that reaches the limit of its heap ends the process.
 */
const V8 = ["--interrupt-budget=600000"];

/** Node.js's arguments to run jest from the checkout. */
export const JEST = ["--experimental-vm-modules", "--no-warnings", ...V8, "node_modules/jest/bin/jest.js"];

/** Runs tests; returns jest's status. */
export async function jest(args: readonly string[], options: RunOptions = {}): Promise<number> {
  return (await attemptNode([...JEST, ...args], { stdio: "inherit", ...options })).status;
}

export const main = (args: readonly string[]): Promise<number> => jest(args);

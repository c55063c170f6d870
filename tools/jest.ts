/** `npm run jest -- test/golden`: tests alone, without the set-up. */
import { attemptNode, type RunOptions } from "./lib/process.js";

/** Node.js's arguments to run jest from the checkout. */
export const JEST = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];

/** Runs tests; gives jest's status. */
export async function jest(args: readonly string[], options: RunOptions = {}): Promise<number> {
  return (await attemptNode([...JEST, ...args], { stdio: "inherit", ...options })).status;
}

export const main = (args: readonly string[]): Promise<number> => jest(args);

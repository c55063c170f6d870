/** `npm run jest -- test/golden`: runs tests without the set-up. */
import { attemptNode, type RunOptions } from "./lib/process.js";

/** Node.js's arguments to run jest from the checkout. */
export const JEST = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];

/** Runs tests; returns jest's status. */
export async function jest(args: readonly string[], options: RunOptions = {}): Promise<number> {
  return (await attemptNode([...JEST, ...args], { stdio: "inherit", ...options })).status;
}

export const main = (args: readonly string[]): Promise<number> => jest(args);

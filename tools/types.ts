/** `npm run types`: type-checks all TypeScript. */
import { doChecks, TYPES } from "./lib/checks.js";

export const main = (): Promise<number> => doChecks(TYPES);

/** `npm run types`: types of all TypeScript. */
import { doChecks, TYPES } from "./lib/checks.js";

export const main = (): Promise<number> => doChecks(TYPES);

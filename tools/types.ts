/** `npm run types`: type-checks all TypeScript. */
import { doChecks, TYPES } from "./lint/checks.js";

export const main = (): Promise<number> => doChecks(TYPES);

/** `npm run lint`: rules and layout of all sources. */
import { doChecks, LINT } from "./lib/checks.js";

export const main = (): Promise<number> => doChecks(LINT);

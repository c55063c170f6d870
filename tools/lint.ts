/** `npm run lint`: lint rules and formatting of all sources. */
import { doChecks, LINT } from "./lint/checks.js";

export const main = (): Promise<number> => doChecks(LINT);

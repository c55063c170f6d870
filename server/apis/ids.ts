/** Ids and times of answers. */
import { randomUUID } from "node:crypto";

/** With a prefix that says what it is of. */
export const newId = (prefix: string): string => prefix + randomUUID().replaceAll("-", "");

/** Since 1970. */
export const seconds = (): number => Math.floor(Date.now() / 1000);

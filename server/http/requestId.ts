/** The id of a request, by which its client, proxies and the log name it: the client's own, or a new one. */
import { randomUUID } from "node:crypto";

/** The header that has it, in requests and answers. */
export const REQUEST_ID = "x-request-id";

/** Characters that need no escape in a header, a log or a shell. */
const OWN = /^[\w.~:/+=@-]{1,128}$/;

/** @param given what the client wrote; anything but one id of at most 128 such characters counts as none */
export const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === "string" && OWN.test(given) ? given : randomUUID();

/** Headers of answers: whatever a value is made of, it can be sent. */
import type { FastifyReply } from "fastify";

/** Characters of a value. */
const LONGEST = 1024;
/** Characters of one name in a list of names. */
const LONGEST_NAME = 64;

/** A text as a value of a header: visible ASCII and blanks, other characters as `\uXXXX`; cut after `most` characters. */
export function headerText(text: string, most: number = LONGEST): string {
  const safe = text
    .slice(0, most)
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .trim();
  return text.length > most || safe.length > most ? `${safe.slice(0, most - 3)}...` : safe;
}

/** Names of a stranger as a list: each cut, and those that are too many counted. Commas in names are escaped. */
export function headerNames(names: readonly string[]): string {
  let list = "";
  for (const [i, name] of names.entries()) {
    const one = headerText(name.slice(0, LONGEST_NAME + 1).replace(/[\\,]/g, "\\$&"), LONGEST_NAME);
    const more = i === 0 ? one : `, ${one}`;
    const left = `, and ${names.length - i} more`;
    if (list.length + more.length + left.length > LONGEST) return list + left;
    list += more;
  }
  return list;
}

/** Sets headers of an answer; `undefined` leaves one as it is. All values of headers pass here. */
export function setHeaders(reply: FastifyReply, headers: Readonly<Record<string, string | undefined>>): FastifyReply {
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) void reply.header(name, headerText(value));
  return reply;
}

/** What programs ask about the text so far, found by looking at all of it. */
import { textOf, tokensOf } from "../vocabulary.js";
import type { Ending } from "./sets.js";
import type { Moment } from "./table.js";

type Text = Pick<Moment, "history" | "promptLength" | "vocabSize">;

const NEVER = 2 ** 24;

/** The tokens since the text last ended so. Tokens that the vocabulary lacks have no text. */
export function sinceEnding({ history, vocabSize }: Text, ending: Ending): number {
  for (let since = 0; since < history.length; since++)
    if (endsWith({ history: history.slice(0, history.length - since), vocabSize }, ending)) return since;
  return NEVER;
}

/** Read from its beginning: what closes it counts where both end at once. */
export function isInside({ history, vocabSize }: Text, open: Ending, close: Ending): boolean {
  let inside = false;
  for (let end = 1; end <= history.length; end++) {
    const text = { history: history.slice(0, end), vocabSize };
    if (endsWith(text, close)) inside = false;
    else if (endsWith(text, open)) inside = true;
  }
  return inside;
}

function endsWith({ history, vocabSize }: Pick<Text, "history" | "vocabSize">, ending: Ending): boolean {
  if (typeof ending !== "string")
    return ending.length <= history.length && ending.every((id, i) => history.at(i - ending.length) === id);
  return history
    .map((token) => (token < vocabSize ? textOf(token) : ""))
    .join("")
    .endsWith(ending);
}

export function partOf({ history, promptLength }: Text, part: string): readonly number[] {
  if (part === "prompt") return history.slice(0, promptLength);
  return part === "generated" ? history.slice(promptLength) : history;
}

/** The last tokens; -1 and less are all. */
const windowOf = (text: readonly number[], last: number): readonly number[] =>
  last < 0 ? text : text.slice(Math.max(0, text.length - last));

export const occurrencesIn = (text: readonly number[], last: number, token: number): number =>
  windowOf(text, last).filter((other) => other === token).length;

/**
 * The longest end of the text that occurs in the window, followed by the token. A repetition never crosses a breaker, of which
 * each is a list of tokens.
 */
export function repetitionsIn(
  moment: Text,
  part: string,
  last: number,
  token: number,
  breakers: readonly (readonly number[])[],
): number {
  const source = windowOf(partOf(moment, part), last);
  const text = part === "prompt" ? windowOf(moment.history, last) : source;
  const isBreaker = (other: number | undefined): boolean => breakers.some(([first]) => first === other);
  if (isBreaker(token)) return 0;
  let longest = 0;
  source.forEach((other, at) => {
    if (other !== token) return;
    let length = 0;
    while (
      length < at &&
      length < text.length &&
      source[at - 1 - length] === text.at(-1 - length) &&
      !isBreaker(text.at(-1 - length))
    )
      length++;
    longest = Math.max(longest, length);
  });
  return longest;
}

/** How many of the sequences each token completes. */
export function completing(
  { history, vocabSize }: Text,
  sequences: readonly (number | string | readonly number[])[],
): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const x of sequences) {
    const list = typeof x === "number" ? [x] : typeof x === "string" ? tokensOf(x, vocabSize) : x;
    const last = list.at(-1);
    if (last !== undefined && endsWith({ history, vocabSize }, list.slice(0, -1)))
      counts.set(last, (counts.get(last) ?? 0) + 1);
  }
  return counts;
}

/** The form in which a model thinks before it answers: a thought between marks, or in a message of its own. */

export interface ReasoningTexts {
  /** Before a thought, as a template writes it. */
  readonly open: string;
  /** After it; blanks around both are no part of the thought. */
  readonly close: string;
  /** Where thoughts and content are messages: what comes between two of them; empty where they are not. */
  readonly next: string;
  /** Around the content; each may be empty. */
  readonly content: { readonly open: string; readonly close: string };
}

export interface ReasoningForm extends ReasoningTexts {
  /** As templates write them; in the others, characters stand for control tokens. */
  readonly letters: ReasoningTexts;
  /** The characters that stand for control tokens in all of these texts, by token. */
  readonly marks: ReadonlyMap<number, string>;
}

/**
 * What a prompt ends with: the beginning of a thought; the end of one, which may be empty, or of what comes before content; or neither, so
 * that the model decides whether it thinks. Or content, which goes on.
 */
export type PromptEnd = "open" | "closed" | "free" | "content";

/** What a prompt ends with, as its template writes it. */
export function promptEnd({ letters: { open, close, next, content } }: ReasoningForm, prompt: string): PromptEnd {
  const text = prompt.trimEnd();
  const [begin, end, before] = [open.trim(), close.trim(), content.open.trim()];
  if (text.endsWith(begin)) return "open";
  if (next !== "") return text.endsWith(begin + end + next) ? "closed" : "free";
  return text.endsWith(end) || (before !== "" && text.endsWith(before)) ? "closed" : "free";
}

/** The same for the tokens of a prompt. */
export function promptEndOf(form: ReasoningForm, tokens: Int32Array, textOf: (token: number) => string): PromptEnd {
  return promptEnd(form, [...tokens.subarray(-LAST)].map(textOf).join(""));
}

/** A mark has so many tokens at most. */
const LAST = 64;

/** A limit for the thought of an answer: so many tokens at most. */
export const limitOf = ({ letters: { open, close, next } }: ReasoningForm, most: number) => ({
  most,
  open,
  close: close + next,
});

/** The form in which a model thinks before it answers: a thought between marks, or in a message of its own. */

export interface ReasoningForm {
  /** Before a thought, as a template writes it. */
  readonly open: string;
  /** After it; blanks around both are no part of the thought. */
  readonly close: string;
  /** Where thoughts and content are messages: what comes between two of them; empty where they are not. */
  readonly next: string;
  /** Around the content; each may be empty. */
  readonly content: { readonly open: string; readonly close: string };
  /** The characters that stand for control tokens in all of these texts, by token. */
  readonly marks: ReadonlyMap<number, string>;
}

/**
 * What a prompt ends with: the beginning of a thought; the end of one, which may be empty, or of what comes before content; or neither, so
 * that the model decides whether it thinks.
 */
export type PromptEnd = "open" | "closed" | "free";

/** What a prompt of a form ends with, as its template writes it. */
export function promptEnd(form: ReasoningForm, prompt: string): PromptEnd {
  const text = prompt.trimEnd();
  if (text.endsWith(form.open.trim())) return "open";
  const { open } = form.content;
  return text.endsWith(form.close.trim()) || (open !== "" && text.endsWith(open.trim())) ? "closed" : "free";
}

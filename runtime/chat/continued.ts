/**
 * Conversations whose last message is an answer that goes on. The template writes that message as one of a history, with a mark at the
 * end of its content, and the prompt ends where the mark is: so it is right for any template, and for contents that it trims.
 */
import { InputError, invalid } from "../core/errors.js";
import type { ChatMessage } from "./messages.js";

/** Throws `InputError` for a conversation that has no such message. */
export function checkContinued(messages: readonly ChatMessage[]): void {
  const at = messages.length - 1;
  const { role, content, tool_calls: calls = [] } = messages[at]!;
  const refuse = (what: string): InputError => invalid(`\`continueFinalMessage\` ${what}`);
  if (role !== "assistant") throw refuse(`needs a last message of the role "assistant", found ${JSON.stringify(role)}`);
  if (calls.length > 0) throw refuse(`needs a last message without calls: \`messages[${at}].tool_calls\` has some`);
  if (content === undefined || content === null)
    throw refuse(`needs the content that goes on: \`messages[${at}].content\` is absent`);
}

/** A text that none of the others has. */
export function markFor(others: readonly string[]): string {
  for (let i = 0; ; i++) {
    const mark = `GGSLGOESON${i}X`;
    if (!others.some((text) => text.includes(mark))) return mark;
  }
}

/** The messages with a mark at the end of the last one's content. */
export const marked = (messages: readonly ChatMessage[], mark: string): readonly ChatMessage[] =>
  messages.map((message, i) =>
    i === messages.length - 1 ? { ...message, content: withMark(message, mark) } : message,
  );

function withMark({ content }: ChatMessage, mark: string): ChatMessage["content"] {
  const last = typeof content === "object" ? content?.at(-1) : undefined;
  if (!last) return `${typeof content === "string" ? content : ""}${mark}`;
  return [...(content as readonly (typeof last)[]).slice(0, -1), { ...last, text: last.text + mark }];
}

/** What stands before the mark. Throws `InputError` for a template that does not write it once. */
export function beforeMark(text: string, mark: string): string {
  const [before, ...after] = text.split(mark);
  if (after.length === 1) return before!;
  throw new InputError(
    `the chat template writes the last message ${after.length} times, so that it cannot be continued: end the conversation with a message of the user`,
    { code: "TEMPLATE_REFUSED" },
  );
}

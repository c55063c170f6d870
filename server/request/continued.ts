/** Answers that have begun: the last message of a conversation goes on, by `continue_final_message` or as an API has it. */
import { Refusal, unsupported } from "../refusal.js";
import type { TemplateBody } from "./bodies.js";

/** Throws a `Refusal` for a conversation whose last message cannot go on. */
export function checkContinued({
  messages,
  continue_final_message: goesOn = false,
  add_generation_prompt: begins = false,
}: TemplateBody): void {
  if (!goesOn) return;
  const refuse = (param: string, message: string): Refusal => new Refusal("invalid_request", message, { param });
  if (begins)
    throw refuse(
      "add_generation_prompt",
      "`add_generation_prompt` begins another answer, and `continue_final_message` goes on with the last one: give one",
    );
  const at = `messages[${messages.length - 1}]`;
  const { role, content, tool_calls: calls = [] } = messages.at(-1)!;
  if (role !== "assistant")
    throw refuse(
      `${at}.role`,
      `\`${at}.role\` must be "assistant" with \`continue_final_message\`, found ${JSON.stringify(role)}`,
    );
  if (calls.length > 0)
    throw unsupported(`${at}.tool_calls[0]`, "is a call in the last message, which cannot go on: send the result, too");
  if (content === undefined || content === null)
    throw refuse(`${at}.content`, `\`${at}.content\` is absent: a thought alone cannot go on, only a text`);
}

/** What is asked for the whole of an answer that has begun. */
export const ofWholeAnswer = (field: string): Refusal =>
  unsupported(field, "is about the whole answer, and the last message has its beginning: omit one of them");

/** From a conversation to a prompt. */
import * as is from "../core/check.js";
import { InputError, translated } from "../core/errors.js";
import type { NativeModel } from "../backends/native/binding.js";
import { tokenText } from "../sequence/prompt.js";
import { loadJinja } from "./jinja.js";
import { veil, type Rendered } from "./letters.js";
import { checkMessages, checkTools, plain, prepared, type ChatMessage, type Tool } from "./messages.js";
import { findTemplate, openTemplate, RESERVED } from "./template.js";

/** How a conversation becomes a prompt. */
export interface ChatOptions {
  /**
   * The tools that the model may call; templates without tools ignore them.
   * @default none
   */
  readonly tools?: readonly Tool[] | undefined;
  /**
   * End the prompt with the beginning of the model's answer.
   * @default true
   */
  readonly addGenerationPrompt?: boolean | undefined;
  /**
   * A Jinja template, or the name of one of the model's, as in `tool_use`. The model's own is `tokenizer.chat_template` in
   * its metadata.
   * @default the model's own
   */
  readonly template?: string | undefined;
  /**
   * More variables for the template, as in `{ enable_thinking: false }`; their names depend on the template.
   * @default none
   */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

export const CHAT: is.Checks<ChatOptions> = {
  tools: checkTools,
  addGenerationPrompt: is.flag,
  template: is.text,
  variables: is.someObject,
};
const checkChat = is.options(CHAT);

/** A conversation whose form is correct; its template has not run. */
export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly options: ChatOptions;
}

/** Copies a conversation. Throws `InputError` for one that is not valid. */
export function openConversation(messages: readonly ChatMessage[], options: ChatOptions): Conversation {
  checkMessages(messages);
  checkChat(options, "options");
  const { tools, addGenerationPrompt, template, variables } = options;
  const reserved = Object.keys(variables ?? {}).find((name) => RESERVED.has(name));
  if (reserved !== undefined)
    throw new InputError(`\`variables.${reserved}\` cannot be given: templates have another \`${reserved}\``, {
      code: "INVALID_ARGUMENT",
    });
  return {
    messages: plain(messages, "messages"),
    options: {
      ...(tools && { tools: plain(tools, "tools") }),
      ...(variables && { variables: plain(variables, "variables") }),
      addGenerationPrompt,
      template,
    },
  };
}

/** Renders a conversation. Throws `InputError`. */
export async function renderConversation(
  model: NativeModel,
  { messages, options: { tools, addGenerationPrompt = true, template, variables } }: Conversation,
): Promise<Rendered> {
  const info = translated(() => model.info);
  const source = findTemplate(info.metadata, template, (tools?.length ?? 0) > 0);
  const { render, forms } = openTemplate(await loadJinja(), source);
  const textOf = (token: number): string => (token < 0 ? "" : tokenText(model, token));
  const given = { messages: prepared(messages, forms), tools: tools ?? null };
  const { values, unveil } = veil(model, given, () => [source, variables]);
  const text = render(
    {
      bos_token: textOf(info.bos),
      eos_token: textOf(info.eos),
      ...variables,
      ...values,
      add_generation_prompt: addGenerationPrompt,
    },
    new Date(),
  );
  return unveil(text);
}

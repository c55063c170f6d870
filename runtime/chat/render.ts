/** From a conversation to a prompt. */
import * as is from "../core/check.js";
import { invalid, translated } from "../core/errors.js";
import type { NativeModel } from "../backends/native/binding.js";
import { tokenText } from "../sequence/prompt.js";
import { threadsHere } from "../core/threads.js";
import { EFFORTS, type Effort } from "./reasoning/efforts.js";
import { calledTools, toolChoice, type ToolChoice } from "./calls/choice.js";
import { checkContinued } from "./continued.js";
import { loadJinja } from "./jinja.js";
import type { Rendered } from "./letters.js";
import { Budget, CHAT_THREADS, NotHere } from "./limits.js";
import { checkMessages, checkTools, plain, type ChatMessage, type Tool } from "./messages.js";
import { renderTask, type RenderTask } from "./task.js";
import { findTemplate, RESERVED } from "./template.js";
import type { Asked } from "./threads/rendering.js";
import { controlTexts } from "./tokens.js";

/** How a conversation becomes a prompt. */
export interface ChatOptions {
  /**
   * The tools that the model may call; templates without tools ignore them.
   * @default none
   */
  readonly tools?: readonly Tool[] | undefined;
  /**
   * Whether the model may call the tools, must call one, or the one that is named. With `none` it is not shown them. A call that must come
   * is enforced, with arguments that its schema allows, and with `auto` what begins as a call is one: by the chain's parameter of the type
   * `grammar`, which has no other value then.
   * @default `auto`
   */
  readonly toolChoice?: ToolChoice | undefined;
  /**
   * End the prompt with the beginning of the model's answer.
   * @default true
   */
  readonly addGenerationPrompt?: boolean | undefined;
  /**
   * End the prompt with the content of the last message, one of the role `assistant`: the answer goes on from there, and is what comes
   * after it.
   * @default false
   */
  readonly continueFinalMessage?: boolean | undefined;
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
  /**
   * Whether the model thinks before it answers, or how much (`"none"` is false), by the variables that its template reads. A template that
   * cannot be told is an error. `variables` come first.
   * @default the template's
   */
  readonly reasoning?: boolean | Effort | undefined;
}

export const CHAT: is.Checks<ChatOptions> = {
  tools: checkTools,
  toolChoice,
  addGenerationPrompt: is.flag,
  continueFinalMessage: is.flag,
  template: is.text,
  variables: is.someObject,
  reasoning: is.oneOf(true, false, ...EFFORTS),
};
const checkChat = is.options(CHAT);

/** A conversation whose form is correct; its template has not run. */
export interface Conversation extends Pick<
  RenderTask,
  "messages" | "tools" | "variables" | "addGenerationPrompt" | "continueFinalMessage"
> {
  readonly hasTools: boolean;
  readonly template: string | undefined;
}

/** Copies a conversation. Throws `InputError` for one that is not valid. */
export function openConversation(messages: readonly ChatMessage[], options: ChatOptions): Conversation {
  checkMessages(messages);
  checkChat(options, "options");
  const { template, variables, continueFinalMessage = false } = options;
  const called = calledTools(options);
  const tools = options.toolChoice === "none" ? undefined : options.tools;
  const { addGenerationPrompt = !continueFinalMessage } = options;
  if (continueFinalMessage && addGenerationPrompt)
    throw invalid("`continueFinalMessage` and `addGenerationPrompt` cannot both be true: give one");
  if (continueFinalMessage) checkContinued(messages);
  if (continueFinalMessage && called)
    throw invalid("`toolChoice` asks for a call, and `continueFinalMessage` for content that goes on: give one");
  const reserved = Object.keys(variables ?? {}).find((name) => RESERVED.has(name));
  if (reserved !== undefined)
    throw invalid(`\`variables.${reserved}\` cannot be given: templates have another \`${reserved}\``);
  return {
    messages: plain(messages, "messages"),
    tools: tools && plain(tools, "tools"),
    variables: variables && plain(variables, "variables"),
    addGenerationPrompt,
    continueFinalMessage,
    hasTools: (tools?.length ?? 0) > 0,
    template,
  };
}

/** Renders a conversation: a small one here, others on another thread, where there are such. Rejects with `InputError`. */
export async function renderConversation(
  model: NativeModel,
  conversation: Conversation,
  asked: Asked = {},
): Promise<Rendered> {
  const task = taskOf(model, conversation);
  if (!threadsHere()) return renderTask(await loadJinja(), task, new Budget());
  const rendered = await renderedHere(task);
  if (rendered) return rendered;
  const { sharedRendering } = await import("./threads/rendering.js");
  return sharedRendering().render(task, asked);
}

/** Throws `InputError` for a template that the model has not. */
export function taskOf(model: NativeModel, { hasTools, template, ...conversation }: Conversation): RenderTask {
  const info = translated(() => model.info);
  const textOf = (token: number): string => (token < 0 ? "" : tokenText(model, token));
  return {
    ...conversation,
    source: findTemplate(info.metadata, template, hasTools),
    bos: textOf(info.bos),
    eos: textOf(info.eos),
    controls: controlTexts(model),
    now: Date.now(),
  };
}

/** Undefined for what takes longer than a thread with other things to do can wait. */
async function renderedHere(task: RenderTask): Promise<Rendered | undefined> {
  const { hereCharacters, hereSteps } = CHAT_THREADS;
  const { source, messages, tools = "", variables = "" } = task;
  if (source.length > hereCharacters || messages.length + tools.length + variables.length > hereCharacters)
    return undefined;
  const jinja = await loadJinja();
  try {
    return renderTask(jinja, task, new Budget(hereSteps, false));
  } catch (error) {
    if (error instanceof NotHere) return undefined;
    throw error;
  }
}

/** Answers to conversations as parts: thoughts, content, calls of tools. */
import type { Part } from "../chat/answer.js";
import { controlsIn } from "../chat/calls/controls.js";
import { ChatForms } from "../chat/forms.js";
import type { ToolCall } from "../chat/messages.js";
import { toldOf } from "../chat/reasoning/told.js";
import { openConversation, renderConversation, type ChatOptions, type Conversation } from "../chat/render.js";
import { invalid, translated } from "../core/errors.js";
import type { NativeModel } from "../backends/native/binding.js";
import { vocabularyOf } from "../sequence/features/model.js";

/** An answer as a whole. */
export interface Answer {
  /** The model's thought; empty for none. */
  readonly reasoning: string;
  readonly content: string;
  /** As the next message of the conversation has them. */
  readonly calls: readonly (ToolCall & { readonly id: string })[];
}

/** What the answer to a conversation has beside its pieces. */
export interface AnswerParts {
  /**
   * The answer in parts, in place of its pieces: thoughts and content without the marks of the model's template, and calls of tools, whose
   * arguments come as they are written where the template has them as JSON. One loop can read it, as that over the pieces.
   */
  parts(): AsyncIterable<Part>;
  /** The answer as a whole, when it is written: after a loop over its parts, or without one. */
  answer(): Promise<Answer>;
}

/** Options of answers beside those of prompts. */
export interface AnswerLimits {
  /**
   * The most tokens of a thought: then its end is written, and the answer begins.
   * @default no limit
   * @unit tokens
   */
  readonly reasoningBudget?: number | undefined;
  /**
   * False: the answer is over after its first call. Its parts are, and a chain with a grammar writes no other; the pieces of another chain go
   * on. A tool that `toolChoice` names is called once.
   * @default true
   */
  readonly parallelToolCalls?: boolean | undefined;
}

const known = new WeakMap<NativeModel, Map<string | undefined, ChatForms>>();

/** The forms of a model's template, or of the one that is given. */
export function chatForms(model: NativeModel, template: string | undefined): ChatForms {
  const ofModel = known.get(model) ?? new Map<string | undefined, ChatForms>();
  known.set(model, ofModel);
  const present = ofModel.get(template);
  if (present) return present;
  const source = (): string => [template ?? "", ...templatesOf(model)].join("\n");
  const forms = new ChatForms({
    render: async (messages, options) =>
      (await renderConversation(model, openConversation(messages, { ...options, template }))).text,
    source,
    controls: () =>
      controlsIn(
        source(),
        translated(() => vocabularyOf(model)),
      ),
  });
  ofModel.set(template, forms);
  for (const first of [...ofModel.keys()].slice(0, -MAX_KNOWN)) ofModel.delete(first);
  return forms;
}

/** Templates of a model. */
const MAX_KNOWN = 8;

const templatesOf = (model: NativeModel): readonly string[] =>
  Object.entries(translated(() => model.info).metadata).flatMap(([key, value]) =>
    key.startsWith("tokenizer.chat_template") ? [value] : [],
  );

/** A conversation, with the variables that say whether, or how much, the model is to think. Rejects with `InputError`. */
export async function toldConversation(
  model: NativeModel,
  conversation: Conversation,
  reasoning: ChatOptions["reasoning"],
): Promise<Conversation> {
  if (reasoning === undefined) return conversation;
  const { template, variables: given = "{}" } = conversation;
  const { variables, fault } = toldOf(reasoning, await chatForms(model, template).thinking());
  if (fault !== undefined) throw invalid(`\`reasoning\` cannot be ${JSON.stringify(reasoning)}: ${fault}: omit it`);
  return { ...conversation, variables: JSON.stringify({ ...variables, ...(JSON.parse(given) as object) }) };
}

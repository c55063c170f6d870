/** Answers to conversations as parts: thoughts, content, calls of tools. */
import { AnswerReader, type Part } from "../chat/answer.js";
import { controlsIn } from "../chat/calls/controls.js";
import { ChatForms } from "../chat/forms.js";
import type { ToolCall } from "../chat/messages.js";
import { limitOf, promptEndOf } from "../chat/reasoning/form.js";
import { toldOf } from "../chat/reasoning/told.js";
import { openConversation, renderConversation, type ChatOptions, type Conversation } from "../chat/render.js";
import { invalid, translated } from "../core/errors.js";
import type { NativeModel } from "../backends/native/binding.js";
import type { Generation, SequenceRequest } from "../generation/generate.js";
import { vocabularyOf } from "../sequence/features/model.js";
import { tokenText } from "../sequence/prompt.js";

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
}

const known = new WeakMap<NativeModel, Map<string | undefined, ChatForms>>();

/** The forms of a model's template, or of the one that is given. */
function chatForms(model: NativeModel, template: string | undefined): ChatForms {
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

/** How the answer to one conversation is read, known when its prompt is. */
export class Reading {
  private prompt: Int32Array = new Int32Array();
  private limit: SequenceRequest["thought"];

  constructor(
    private readonly model: NativeModel,
    private readonly options: ChatOptions & AnswerLimits & Pick<SequenceRequest, "thought">,
  ) {
    this.limit = options.thought;
  }

  /** Rejects with `InputError` for a limit of thoughts and a template without any. */
  async begin(prompt: Int32Array): Promise<void> {
    this.prompt = prompt;
    const { template, reasoningBudget: most } = this.options;
    if (most === undefined) return;
    const { form } = await chatForms(this.model, template).thinking();
    if (!form)
      throw invalid(
        `\`reasoningBudget\` cannot be ${most}: the model's chat template says nothing of thoughts: omit it`,
      );
    this.limit = limitOf(form, most);
  }

  /** After `begin`. Rejects as the template does. */
  private async open(): Promise<AnswerReader> {
    const { model, prompt } = this;
    const { tools, template } = this.options;
    const forms = chatForms(model, template);
    const { form } = await forms.thinking();
    const calls = tools?.length ? await forms.calls() : undefined;
    return new AnswerReader(
      calls && { form: calls, tools: tools!, isParallel: true },
      form && { form, prompt: promptEndOf(form, prompt, (token) => tokenText(model, token)) },
    );
  }

  /** A request whose limit is that of the conversation, once it is known. */
  limited<T extends SequenceRequest>(request: T): T {
    const limit = (): SequenceRequest["thought"] => this.limit;
    return Object.defineProperty({ ...request }, "thought", { get: limit, enumerable: true });
  }

  /** A generation with its parts. */
  with<G extends Generation>(generation: G): G & AnswerParts {
    const sum = new Sum();
    let isBegun = false;
    const open = (): Promise<AnswerReader> => this.open();
    async function* read(): AsyncGenerator<Part, void, void> {
      isBegun = true;
      let reader: AnswerReader | undefined;
      for await (const piece of generation) yield* sum.add((reader ??= await open()).push(piece));
      yield* sum.add(reader?.flush() ?? []);
    }
    return Object.assign(generation, {
      parts: read,
      async answer(): Promise<Answer> {
        // what another loop has read is known
        if (!isBegun) for await (const _ of read());
        return sum.answer;
      },
    });
  }
}

/** Parts so far. */
class Sum {
  private reasoning = "";
  private content = "";
  private readonly calls: { id: string; name: string; arguments: string }[] = [];

  add(parts: readonly Part[]): readonly Part[] {
    for (const part of parts)
      if (part.part !== "call") this[part.part] += part.text;
      else {
        const { index, id = "", name = "", arguments: args } = part.call;
        const call = (this.calls[index] ??= { id, name, arguments: "" });
        call.arguments += args;
      }
    return parts;
  }

  get answer(): Answer {
    const { reasoning, content, calls } = this;
    return {
      reasoning,
      content,
      calls: calls.map(({ id, ...called }) => ({ id, type: "function", function: called })),
    };
  }
}

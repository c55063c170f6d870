/** A conversation to render, as plain data: the same on the thread that asks and on another. */
import { beforeMark, marked, markFor } from "./continued.js";
import { Digits } from "./digits.js";
import type { Jinja } from "./jinja.js";
import { veil, type Rendered } from "./letters.js";
import type { Budget } from "./limits.js";
import { prepared, type ChatMessage, type Tool } from "./messages.js";
import { openTemplate } from "./template.js";

export interface RenderTask {
  readonly source: string;
  /** As JSON. */
  readonly messages: string;
  readonly tools: string | undefined;
  readonly variables: string | undefined;
  readonly addGenerationPrompt: boolean;
  /** The prompt ends with the content of the last message. */
  readonly continueFinalMessage: boolean;
  /** The texts of the tokens that begin and end a text; empty for none. */
  readonly bos: string;
  readonly eos: string;
  /** The texts of special tokens, as JSON. */
  readonly controls: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Throws `InputError`; `NotHere` if the budget is not final. */
export function renderTask(jinja: Jinja, task: RenderTask, budget: Budget): Rendered {
  const { source, tools, variables, addGenerationPrompt, continueFinalMessage, bos, eos, controls, now } = task;
  const { render, forms } = openTemplate(jinja, source);
  const texts = [source, task.messages, tools ?? "", variables ?? ""];
  const digits = new Digits(texts);
  const conversation = JSON.parse(task.messages) as readonly ChatMessage[];
  const mark = continueFinalMessage ? markFor(texts) : undefined;
  const messages = prepared(mark === undefined ? conversation : marked(conversation, mark), forms(budget), digits);
  const given = { messages, tools: tools === undefined ? null : (JSON.parse(tools) as readonly Tool[]) };
  const more = variables === undefined ? undefined : (JSON.parse(variables) as Readonly<Record<string, unknown>>);
  const { values, unveil } = veil(controls, given, () => [source, more]);
  const text = render(
    { bos_token: bos, eos_token: eos, ...more, ...values, add_generation_prompt: addGenerationPrompt },
    new Date(now),
    budget,
  );
  return unveil(digits.show(mark === undefined ? text : beforeMark(text, mark)));
}

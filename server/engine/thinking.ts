/** Thoughts of answers: what a request asks for, as variables of the model's template, and how they are read. */
import type { ThoughtOptions } from "ggsl/chat/answer.js";
import { limitOf, promptEndOf, type ReasoningForm } from "ggsl/chat/reasoning/form.js";
import type { Effort } from "ggsl/chat/reasoning/efforts.js";
import { toldOf } from "ggsl/chat/reasoning/told.js";
import type { ThoughtLimit } from "ggsl/generation/thought.js";
import type { ChatBody, TemplateBody } from "../request/bodies.js";
import { fieldOf, isNeutral, type Body } from "../request/fields.js";
import { faultOf } from "../request/fit.js";
import { Refusal, unsupported } from "../refusal.js";
import type { Engine } from "./engine.js";

type Variables = Readonly<Record<string, unknown>>;

/** The variables of a conversation's template. Throws a `Refusal` for what the template can not be told. */
export async function variablesOf(
  { forms }: Engine,
  { chat_template_kwargs: given, reasoning_effort: effort, enable_thinking: thinks }: Partial<TemplateBody>,
): Promise<Variables | undefined> {
  if (effort === undefined && thinks === undefined) return given;
  if (effort !== undefined && thinks !== undefined && thinks === (effort === "none"))
    throw new Refusal(
      "invalid_request",
      `\`enable_thinking\` is ${thinks}, and \`reasoning_effort\` is "${effort}": give one of them`,
      { param: "enable_thinking" },
    );
  const thinking = await forms.thinking();
  const told = (param: "enable_thinking" | "reasoning_effort", asked: Effort | boolean | undefined): Variables => {
    if (asked === undefined) return {};
    const { variables, fault } = toldOf(asked, thinking);
    if (variables) return variables;
    // a default of clients
    if (isNeutral(param, asked)) return {};
    throw unsupported(param, `cannot be ${JSON.stringify(asked)}: ${fault}: omit it`);
  };
  return { ...told("enable_thinking", thinks), ...told("reasoning_effort", effort), ...given };
}

/** A body without the fields that the model's template cannot be told, for a lenient server, and their names. */
export async function withoutUntold(
  engine: Engine,
  body: Body,
): Promise<{ readonly body: Body; readonly ignored: string[] }> {
  const ignored: string[] = [];
  // what does not fit its schema is refused then
  const isGiven = (name: string): boolean =>
    body[name] !== undefined && faultOf(fieldOf(name)!.schema, body[name]) === undefined;
  for (const name of TOLD.filter(isGiven)) {
    const alone = { [name]: body[name] } as Partial<ChatBody>;
    try {
      await variablesOf(engine, alone);
      thoughtLimitOf(alone, (await engine.forms.thinking()).form);
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== "unsupported_parameter") throw error;
      ignored.push(name);
    }
  }
  const kept = Object.entries(body).filter(([name]) => !ignored.includes(name));
  return { body: Object.fromEntries(kept), ignored };
}

const TOLD = ["enable_thinking", "reasoning_effort", "reasoning_budget", "thinking_budget_tokens"] as const;

/** How the thoughts of the answer to a prompt are read; undefined for a model without. @param goesOn its content has begun */
export async function thoughtsAfter(
  { forms, model }: Engine,
  prompt: Int32Array,
  goesOn = false,
): Promise<ThoughtOptions | undefined> {
  const { form } = await forms.thinking();
  return form && { form, prompt: goesOn ? "content" : promptEndOf(form, prompt, (token) => model.textOf(token)) };
}

/** The limit of an answer's thought. Throws a `Refusal` for a model without thoughts. */
export function thoughtLimitOf(
  {
    reasoning_budget: budget,
    thinking_budget_tokens: other,
    continue_final_message: goesOn = false,
  }: Partial<ChatBody>,
  form: ReasoningForm | undefined,
): ThoughtLimit | undefined {
  if (budget !== undefined && other !== undefined && budget !== other)
    throw new Refusal("invalid_request", "`reasoning_budget` and `thinking_budget_tokens` differ: give one of them", {
      param: "thinking_budget_tokens",
    });
  const most = budget ?? other;
  if (most === undefined || most === -1) return undefined;
  const param = budget === undefined ? "thinking_budget_tokens" : "reasoning_budget";
  if (!form) throw unsupported(param, `cannot be ${most}: the model's chat template says nothing of thoughts: omit it`);
  return goesOn ? undefined : limitOf(form, most);
}

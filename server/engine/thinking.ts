/** Thoughts of answers: what a request asks for, as variables of the model's template, and how they are read. */
import type { ThoughtOptions } from "ggsl/chat/answer.js";
import { promptEndOf } from "ggsl/chat/reasoning/form.js";
import type { ThinkingSwitches } from "ggsl/chat/reasoning/switches.js";
import type { ThoughtLimit } from "ggsl/generation/thought.js";
import type { ChatBody, TemplateBody } from "../request/bodies.js";
import { isNeutral } from "../request/fields.js";
import { Refusal } from "../refusal.js";
import type { Engine } from "./engine.js";

type Variables = Readonly<Record<string, unknown>>;

/** The variables of a conversation's template. Throws a `Refusal` for what the template can not be told. */
export async function variablesOf(
  { forms }: Engine,
  { chat_template_kwargs: given, reasoning_effort: effort, enable_thinking: thinks }: TemplateBody,
): Promise<Variables | undefined> {
  if (effort === undefined && thinks === undefined) return given;
  if (effort !== undefined && thinks !== undefined && thinks === (effort === "none"))
    throw new Refusal(
      "invalid_request",
      `\`enable_thinking\` is ${thinks}, and \`reasoning_effort\` is "${effort}": give one of them`,
      { param: "enable_thinking" },
    );
  const { form, switches } = await forms.thinking();
  const thinking = { hasForm: form !== undefined, switches };
  return {
    ...(thinks !== undefined && switched("enable_thinking", thinks, thinking)),
    ...(effort !== undefined && effort !== "none" && effortOf(effort, thinking)),
    ...(effort === "none" && switched("reasoning_effort", false, thinking)),
    ...given,
  };
}

interface Told {
  readonly hasForm: boolean;
  readonly switches: ThinkingSwitches;
}

function switched(param: string, isOn: boolean, { hasForm, switches }: Told): Variables {
  const variables = isOn ? switches.on : switches.off;
  if (variables) return variables;
  // a model without thoughts has them off
  if (!isOn && !hasForm) return {};
  const why = isOn
    ? "the model's chat template says nothing of thoughts"
    : "the model's chat template has no variable by which the model does not think";
  throw new Refusal(
    "unsupported_parameter",
    `\`${param}\` cannot switch thoughts ${isOn ? "on" : "off"}: ${why}: omit it`,
    {
      param,
    },
  );
}

function effortOf(effort: NonNullable<TemplateBody["reasoning_effort"]>, { switches }: Told): Variables {
  const { on, efforts } = switches;
  // a template that can be told to think, but not how much
  const canBeTold = on !== undefined && Object.keys(on).length > 0;
  const variables = efforts?.get(effort) ?? (canBeTold || switches.off !== undefined ? on : undefined);
  if (variables) return variables;
  if (isNeutral("reasoning_effort", effort)) return {};
  throw new Refusal(
    "unsupported_parameter",
    `\`reasoning_effort\` cannot be "${effort}": the model's chat template reads no level of thinking, and cannot switch thoughts on or off: omit it`,
    { param: "reasoning_effort" },
  );
}

/** How the thoughts of the answer to a prompt are read; undefined for a model without. */
export async function thoughtsAfter({ forms, model }: Engine, prompt: Int32Array): Promise<ThoughtOptions | undefined> {
  const { form } = await forms.thinking();
  return form && { form, prompt: promptEndOf(form, prompt, (token) => model.textOf(token)) };
}

/** The limit of an answer's thought. Throws a `Refusal` for a model without thoughts. */
export function thoughtLimitOf(
  { reasoning_budget: budget, thinking_budget_tokens: other }: ChatBody,
  thoughts: ThoughtOptions | undefined,
): ThoughtLimit | undefined {
  if (budget !== undefined && other !== undefined && budget !== other)
    throw new Refusal("invalid_request", "`reasoning_budget` and `thinking_budget_tokens` differ: give one of them", {
      param: "thinking_budget_tokens",
    });
  const most = budget ?? other;
  if (most === undefined || most === -1) return undefined;
  const param = budget === undefined ? "thinking_budget_tokens" : "reasoning_budget";
  if (!thoughts)
    throw new Refusal(
      "unsupported_parameter",
      `\`${param}\` cannot be ${most}: the model's chat template says nothing of thoughts: omit it`,
      { param },
    );
  const { prompt, form } = thoughts;
  if (prompt === "closed") return undefined;
  const { open, close, next } = form.letters;
  return { most, close: close + next, ...(prompt === "free" && { open }) };
}

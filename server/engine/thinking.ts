/** Thoughts of answers: what a request asks for, as variables of the model's template, and how they are read. */
import type { ThoughtOptions } from "ggsl/chat/answer.js";
import { promptEndOf } from "ggsl/chat/reasoning/form.js";
import type { ThinkingSwitches } from "ggsl/chat/reasoning/switches.js";
import type { TemplateBody } from "../request/bodies.js";
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

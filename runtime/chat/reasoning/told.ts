/** What a caller asks of thoughts, as variables of a template. */
import type { Thinking } from "../forms.js";
import type { Effort } from "./efforts.js";

/** Whether the model is to think, or how much; or why the template can not be told. */
export function toldOf(asked: Effort | boolean, { form, switches: { on, off, efforts } }: Thinking): Told {
  if (asked === false || asked === "none") {
    if (off) return { variables: off };
    // a model without thoughts has them off
    return form ? { fault: "the model's chat template has no variable that switches thoughts off" } : { variables: {} };
  }
  if (asked === true) return on ? { variables: on } : { fault: "the model's chat template says nothing of thoughts" };
  // a template may be told to think, but not how much
  const canSwitch = on !== undefined && (off !== undefined || Object.keys(on).length > 0);
  const variables = efforts?.get(asked) ?? (canSwitch ? on : undefined);
  if (variables) return { variables };
  return {
    fault: "the model's chat template reads no level of thinking, and has no variable that switches thoughts on or off",
  };
}

type Told =
  | { readonly variables: Readonly<Record<string, unknown>>; readonly fault?: undefined }
  | { readonly fault: string; readonly variables?: undefined };

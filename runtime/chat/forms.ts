/** The forms of a model's chat template: of calls and of thoughts, found when they are asked for first. */
import { InputError } from "../core/errors.js";
import type { Control } from "./calls/controls.js";
import { findForm } from "./calls/find.js";
import type { CallForm } from "./calls/form.js";
import type { Render } from "./calls/probes.js";
import { findReasoning } from "./reasoning/find.js";
import type { ReasoningForm } from "./reasoning/form.js";
import { findSwitches, type ThinkingSwitches } from "./reasoning/switches.js";

interface ChatTemplate {
  /** Renders a conversation. */
  readonly render: Render;
  /** The texts of the model's templates. */
  readonly source: () => string;
  /** The control tokens that they name. */
  readonly controls: () => readonly Control[];
}

/** How a model thinks. */
export interface Thinking {
  /** Undefined for a template that says nothing of thoughts. */
  readonly form: ReasoningForm | undefined;
  readonly switches: ThinkingSwitches;
}

const NEVER: Thinking = { form: undefined, switches: { on: undefined, off: undefined, efforts: undefined } };

export class ChatForms {
  /** Undefined for a template that shows no calls, or in a form that is not read. Rejects as the template does. */
  readonly calls: () => Promise<CallForm | undefined>;
  readonly thinking: () => Promise<Thinking>;

  constructor({ render, source, controls }: ChatTemplate) {
    this.calls = once(() => findForm(render, controls()));
    this.thinking = once(async () => {
      // what is wrong with a template, or with calls alone, is for those who use it
      const calls = await this.calls().catch(unlessFault);
      try {
        const form = await findReasoning(render, { source: source(), controls: controls(), calls });
        return { form, switches: await findSwitches(render, source(), form) };
      } catch (error) {
        return unlessFault(error) ?? NEVER;
      }
    });
  }
}

/** A template that is not right is found again when a conversation is rendered. */
function unlessFault(error: unknown): undefined {
  if (error instanceof InputError && FAULTS.has(error.code)) return undefined;
  throw error;
}

const FAULTS: ReadonlySet<string> = new Set([
  ...["INVALID_TEMPLATE", "NO_TEMPLATE", "TEMPLATE_REFUSED", "TEMPLATE_FAILED", "LIMIT_EXCEEDED"],
]);

/** What failed, as by a lack of memory, is tried again. */
function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    const finding = (found ??= find());
    finding.catch(() => (found = undefined));
    return finding;
  };
}

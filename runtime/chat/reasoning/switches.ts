/** How a template is told whether to think, and how much: by variables that it reads. */
import { InputError } from "../../core/errors.js";
import type { Render } from "../calls/probes.js";
import type { Effort } from "./efforts.js";
import { promptEnd, type PromptEnd, type ReasoningForm } from "./form.js";

type Variables = Readonly<Record<string, unknown>>;

/** Each is undefined if the template can not be told. */
export interface ThinkingSwitches {
  readonly on: Variables | undefined;
  readonly off: Variables | undefined;
  /** For the levels above `none`. */
  readonly efforts: ReadonlyMap<Effort, Variables> | undefined;
}

const ON: readonly Variables[] = [{ enable_thinking: true }, { thinking: true }, { thinking_mode: "enabled" }];
const OFF: readonly Variables[] = [
  { enable_thinking: false },
  { thinking: false },
  { reasoning_effort: "none" },
  { reasoning_effort: "no_think" },
  { reasoning_effort: "minimal" },
  { thinking_budget: 0 },
];
/** Instructions against thoughts alone, which end no thought. */
const ASKED_OFF: readonly Variables[] = [
  { enable_thinking: false },
  { thinking: false },
  { thinking_mode: "disabled" },
];
const EFFORT_NAMES = ["reasoning_effort", "reasoning_strength"];

/** What each level is to a template that does not have it. */
const LEVELS: Readonly<Record<Exclude<Effort, "none">, readonly string[]>> = {
  minimal: ["minimal", "low", "high"],
  low: ["low", "high"],
  medium: ["medium", "high"],
  high: ["high"],
  xhigh: ["xhigh", "max", "high"],
};
/** Others must be in the template. */
const USUAL = ["low", "medium", "high"];

/**
 * Rejects as `render` does for a question alone.
 * @param source the texts of the model's templates
 */
export async function findSwitches(
  render: Render,
  source: string,
  form: ReasoningForm | undefined,
): Promise<ThinkingSwitches> {
  const written = (variables: Variables): Promise<string> =>
    render([{ role: "user", content: "Hello" }], { variables });
  const standard = await written({});
  /** Undefined for variables that the template does not read, or refuses. */
  const attempt: Attempt = async (variables) => {
    if (!Object.keys(variables).every((name) => isIn(source, name))) return undefined;
    try {
      return await written(variables);
    } catch (error) {
      if (error instanceof InputError) return undefined;
      throw error;
    }
  };
  const firstOf = async (
    candidates: readonly Variables[],
    accepts: (text: string) => boolean = () => true,
  ): Promise<Variables | undefined> => {
    for (const variables of candidates) {
      const text = await attempt(variables);
      if (text !== undefined && text !== standard && accepts(text)) return variables;
    }
    return undefined;
  };
  // a template may ask for thoughts and have no marks
  const endOf = (text: string): PromptEnd => (form ? promptEnd(form, text) : "free");
  const turnsOn = await firstOf(ON, (text) => endOf(text) !== "closed");
  const on = turnsOn ?? (form && endOf(standard) !== "closed" ? {} : undefined);
  const off =
    endOf(standard) === "closed"
      ? {}
      : ((await firstOf(OFF, (text) => endOf(text) === "closed")) ??
        (await firstOf(ASKED_OFF)) ??
        (turnsOn && endOf(standard) === "free" ? {} : undefined));
  const efforts = await effortsOf(attempt, source, on ?? {});
  return { on: on ?? efforts?.get("high"), off, efforts };
}

type Attempt = (variables: Variables) => Promise<string | undefined>;

const isIn = (source: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(source);

async function effortsOf(
  attempt: Attempt,
  source: string,
  on: Variables,
): Promise<ReadonlyMap<Effort, Variables> | undefined> {
  const name = EFFORT_NAMES.find((one) => isIn(source, one));
  if (name === undefined) return undefined;
  const found = new Map<Effort, Variables>();
  const texts = new Set([await attempt(on)]);
  for (const [effort, levels] of Object.entries(LEVELS))
    for (const level of levels) {
      if (!USUAL.includes(level) && !new RegExp(`['"]${level}['"]`).test(source)) continue;
      const variables = { ...on, [name]: level };
      const text = await attempt(variables);
      if (text === undefined) continue;
      texts.add(text);
      found.set(effort as Effort, variables);
      break;
    }
  return texts.size > 1 ? found : undefined;
}

/** Stages of the standard library, with edge values and ordinary values of their parameters. */
import * as fc from "fast-check";
import { STD_SAMPLERS, type StdSampler } from "../../compiler/std/samplers.js";
import { declaredParams } from "../parity/declared.js";
import { SAMPLERS } from "../parity/samplers.js";
import { f32, literal, type Args, type ParamSpec } from "../parity/values.js";
import { chainParam, type Draft } from "./params.js";
import type { Scope } from "./text.js";

export interface StandardChoice {
  readonly sampler: StdSampler;
  readonly params: Readonly<Record<string, ParamSpec>>;
  readonly args: Args;
  /** For each argument in order: whether it becomes a parameter of the chain. */
  readonly isUniform: readonly boolean[];
  /** Imported with another name. */
  readonly isRenamed: boolean;
}

/** The parity tests list more edge values than the declarations. */
const paramsOf = (sampler: StdSampler): StandardChoice["params"] =>
  SAMPLERS[sampler.name]?.params ?? declaredParams(sampler);

function choiceOf(sampler: StdSampler, params = paramsOf(sampler)): fc.Arbitrary<StandardChoice> {
  const entries = Object.entries(params);
  return fc.record({
    sampler: fc.constant(sampler),
    params: fc.constant(params),
    args: fc.record(Object.fromEntries(entries.map(([key, { values }]) => [key, values]))),
    isUniform: fc.array(fc.boolean(), { minLength: entries.length, maxLength: entries.length }),
    isRenamed: fc.boolean(),
  });
}

/** Random programs have no texts for grammars. */
const without = STD_SAMPLERS.filter(({ takesGrammar }) => !takesGrammar);
const picking = without.filter(({ picks }) => picks !== undefined);
const others = without.filter(({ picks }) => picks === undefined);

export const standardFilters = fc.oneof(...others.map((s) => choiceOf(s)));
export const standardPicks = fc.oneof(...picking.map((s) => choiceOf(s)));

/** Temperatures that move logits to the bounds of their range, or make them equal. */
export const extremeTemperatures: fc.Arbitrary<StandardChoice> = choiceOf(
  STD_SAMPLERS.find(({ name }) => name === "temp")!,
  { t: f32(1e-20, 1e20, 1e-20, 1e-15, 1e-10, 1e-5, 1e10, 1e20) },
);

/** Samplers that neither sort nor change logits, or only divide these by a positive number. */
const KEEPS_ORDER = new Set(["min_p", "top_a", "top_n_sigma", "epsilon", "eta", "min_z", "p_less", "xtc", "temp"]);

/** Samplers that sort by the logits, if only for some arguments. */
const SORTS = new Set([
  "mirostat",
  "mirostat_v2",
  "tail_free",
  "top_h",
  "top_k",
  "top_p",
  "typical",
  "skew",
  "temp_ext",
]);

/** What the rows are certainly sorted by after a stage. */
export function orderAfter({ sampler, args }: StandardChoice, before: Scope["order"]): Scope["order"] {
  if (sampler.name === "top_k" && (args["k"] as number) > 0) return "logit";
  const keeps = before === "key" ? !SORTS.has(sampler.name) : KEEPS_ORDER.has(sampler.name);
  return keeps ? before : undefined;
}

/** The stage as text; the sampler is imported as `name`. */
export function standardStage(draft: Draft, { params, args, isUniform }: StandardChoice, name: string): string {
  const texts = Object.entries(args).map(([key, value], i) => {
    const { type, isStatic } = params[key]!;
    if (
      typeof value !== "number" ||
      type === "list" ||
      type === "tokens" ||
      type === "phrases" ||
      isStatic ||
      !isUniform[i]
    )
      return `${key}: ${literal(type, value)}`;
    // the default lies in every sampler's range
    return `${key}: ${chainParam(draft, type, value, value, { isStatic: false, range: "" })}`;
  });
  return `${name}(${texts.join(", ")})`;
}

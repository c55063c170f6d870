/** Stages of the standard library, with values of their parameters at which something changes, or nothing does. */
import * as fc from "fast-check";
import { SAMPLERS } from "../parity/samplers.js";
import { f32, minKeep, statics, type Args, type ParamSpec } from "../parity/values.js";
import { chainParam, type Draft } from "./params.js";

export interface StandardSpec {
  readonly params: Readonly<Record<string, ParamSpec>>;
  readonly picks?: "best" | "sample";
}

/** What llama.cpp lacks, and so the parity tests do not know. */
const OTHERS: Readonly<Record<string, StandardSpec>> = {
  entropy_temp: { params: { t0: f32(0.1, 3, 1, 1e-6), theta: f32(0, 3, 0, 1), base: f32(0, 1, 0, 1, 0.8) } },
  epsilon: { params: { cutoff: f32(0, 1, 0, 1, 0.0003, 0.1) } },
  eta: { params: { cutoff: f32(0, 1, 0, 1, 0.0003, 0.1) } },
  no_repeat_ngram: { params: { size: statics(0, 1, 2, 3), last_n: statics(-1, 4, 64) } },
  p_less: { params: {} },
  quadratic: { params: { factor: f32(0, 3, 0, 0.2), curve: f32(-2, 5, 1, 0) } },
  skew: { params: { amount: f32(-3, 3, 0, 1, -1) } },
  tail_free: { params: { z: f32(0, 1, 0, 1, 0.95), min_keep: minKeep } },
  top_a: { params: { a: f32(0, 1, 0, 1, 0.2) } },
};

export const STANDARD: Readonly<Record<string, StandardSpec>> = { ...SAMPLERS, ...OTHERS };

export interface StandardChoice {
  readonly name: string;
  readonly args: Args;
  /** Whether each argument becomes a parameter of the chain, in turn. */
  readonly isUniform: readonly boolean[];
}

const choiceOf = (name: string): fc.Arbitrary<StandardChoice> =>
  fc.record({
    name: fc.constant(name),
    args: fc.record(
      Object.fromEntries(Object.entries(STANDARD[name]!.params).map(([key, { values }]) => [key, values])),
    ),
    isUniform: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  });

const NAMES = Object.keys(STANDARD);
const named = (picks: boolean): string[] => NAMES.filter((name) => (STANDARD[name]!.picks !== undefined) === picks);

export const standardFilters = fc.oneof(...named(false).map(choiceOf));
export const standardPicks = fc.oneof(...named(true).map(choiceOf));

/** The stage as text. */
export function standardStage(draft: Draft, { name, args, isUniform }: StandardChoice): string {
  const texts = Object.entries(args).map(([key, value], i) => {
    if (typeof value !== "number") return `${key}: [${value.join(", ")}]`;
    const { type, isStatic } = STANDARD[name]!.params[key]!;
    const isChains = isUniform[i] === true && !isStatic && type !== "list";
    // the default suits every sampler's range
    const other = value;
    return `${key}: ${isChains ? chainParam(draft, type, value, other, { isStatic: false, range: "" }) : String(value)}`;
  });
  return `${name}(${texts.join(", ")})`;
}

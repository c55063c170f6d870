/** Random values of a standard sampler's parameters, derived from their declarations. */
import * as fc from "fast-check";
import { check } from "../../compiler/check/check.js";
import type { SamplerBinding } from "../../compiler/check/tree.js";
import { paramsOf } from "../../compiler/check/types.js";
import { isInRange, type Range } from "../../compiler/core/range.js";
import { STD_NAMES } from "../../compiler/std/library.js";
import type { StdSampler } from "../../compiler/std/samplers.js";
import type { Param, Sampler } from "../../compiler/syntax/ast.js";
import { callsIn, expressionsIn } from "../../compiler/syntax/walk.js";
import { f32, i32, LISTS, seed, statics, phraseLists, tokenSets, type ParamSpec } from "./values.js";

const MODULES = check({ name: "standard.ggsl", text: `import { ${STD_NAMES.join(", ")} } from "std"\n` }).program!.main
  .scope;

/** Every parameter of a sampler, but for texts with a default: a text needs a vocabulary. */
export const declaredParams = ({ name, declaration }: StdSampler): Readonly<Record<string, ParamSpec>> =>
  Object.fromEntries(
    declaration.params
      .filter(({ type, default: standard }) => type !== "text" || standard === undefined)
      .map((param) => [param.name.text, specOf(name, declaration, param)]),
  );

function specOf(sampler: string, declaration: Sampler, param: Param): ParamSpec {
  const params = paramsOf(MODULES.get(sampler) as SamplerBinding).value;
  const { range, default: standard } = params.find(({ declaration: { name } }) => name.text === param.name.text)!;
  const defaults = standard?.constant === undefined ? [] : [standard.constant];
  switch (param.type) {
    case "f32":
      return { ...reals(range, defaults), ...(param.isStatic && { isStatic: true }) };
    case "i32":
      return param.isStatic ? sizes(range, defaults) : counts(range, defaults);
    case "bool":
      return { type: "bool", ...(param.isStatic && { isStatic: true }), values: fc.constantFrom(0, 1) };
    case "seed":
      return seed;
    case "list":
      return LISTS[takerOf(declaration, param)] ?? unknown(sampler, param);
    case "tokens":
      return tokenSets;
    case "phrases":
      return phraseLists;
    case "text":
    case "grammar":
      return unknown(sampler, param);
  }
}

function unknown(sampler: string, { name }: Param): never {
  throw new Error(`\`${sampler}\`: unknown which values \`${name.text}\` takes`);
}

/** The function to which a sampler passes a parameter. */
function takerOf(sampler: Sampler, { name }: Param): string {
  const calls = expressionsIn(sampler).flatMap(callsIn);
  const taker = calls.find(({ args }) => args.some(({ value }) => value.kind === "name" && value.text === name.text));
  return taker?.callee.text ?? "";
}

const within = (range: Range, ...values: number[]): number[] => [...new Set(values.filter((x) => isInRange(range, x)))];

/** From one bound to the other, or 3 units from the only one; an excluded bound is approached. */
function reals(range: Range, defaults: readonly number[]): ParamSpec {
  const low = range.min ?? Math.min(-3, (range.max ?? 0) - 3);
  const high = range.max ?? Math.max(3, low + 3);
  const margin = (share: number): number => (high - low) * share;
  const [lowest, highest] = [range.minExcluded ? margin(1 / 30) : 0, range.maxExcluded ? margin(1 / 30) : 0];
  const near = [
    ...(range.minExcluded ? [low + margin(1e-6)] : [low]),
    ...(range.maxExcluded ? [high - margin(1e-6)] : [high]),
  ];
  return f32(low + lowest, high - highest, ...within(range, ...defaults, ...near, 0, 1, -1));
}

/** Few more often than many. */
function counts(range: Range, defaults: readonly number[]): ParamSpec {
  const min = range.min ?? Math.min(-1, (range.max ?? 0) - 5);
  const few = within(range, min, min + 1, min + 2, min + 3, min + 4, min + 5);
  const many = within(range, ...defaults, 17, 200, 5000);
  return i32(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...few) },
      { weight: 1, arbitrary: fc.constantFrom(...(many.length > 0 ? many : few)) },
    ),
  );
}

const sizes = (range: Range, defaults: readonly number[]): ParamSpec =>
  statics(...within(range, ...defaults, ...(range.min === undefined ? [] : [range.min]), -1, 0, 1, 2, 3, 4, 64));

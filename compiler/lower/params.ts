/** The parameters of the chain: static ones get their value, the others become uniforms of the graph. */
import { missingStatic, setOutOfRange, unknownSetting } from "../check/diagnostics/params.js";
import type { Diagnostic } from "../check/diagnostics.js";
import { settingOfGrammar } from "../check/diagnostics/grammars.js";
import { settingIsList, settingItems, settingOfSet, tooManyTokens } from "../check/diagnostics/sets.js";
import { itemsNamed } from "../check/sets.js";
import { resolveArgs } from "../check/arguments.js";
import { evaluateConstant, textConstant } from "../check/constants.js";
import type { Module } from "../check/program.js";
import { declaredRange } from "../check/ranges.js";
import type { GrammarParam, Param, Range } from "../graph/graph.js";
import { isTokenItem } from "../graph/sets.js";
import * as I from "../graph/interval.js";
import { expectedValue } from "../graph/param.js";
import { fractionMeant } from "../graph/range.js";
import type * as Ast from "../syntax/ast.js";
import type { ChainLowering } from "./chainLowering.js";
import { addSet } from "./sets.js";
import type { Argument } from "./scope.js";
import { constant, uniformValue } from "./rows/value.js";

/** Values of parameters by name; those of a set are token ids and texts. */
export type Settings = Readonly<Record<string, number | readonly (number | string)[]>>;

export interface ChainParam {
  readonly param: Param;
  readonly isUniform: boolean;
}

/** Applies settings to parameters; invalid settings are diagnosed. */
export function chainParams(
  module: Module,
  chain: Ast.Chain,
  set: Settings,
): { params: ChainParam[]; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const numeric = chain.params.filter((p): p is NumericParam => ["f32", "i32", "bool", "seed"].includes(p.type));
  const names = [...numeric, ...setParams(chain)].map((p) => p.name.text);
  for (const name of Object.keys(set)) {
    const grammar = chain.params.find((p) => p.type === "grammar" && p.name.text === name);
    if (grammar) diagnostics.push(settingOfGrammar(grammar.name.span, name));
    else if (!names.includes(name)) diagnostics.push(unknownSetting(chain.name.span, name, names));
  }
  const passed = passedRanges(module, chain);
  const params = numeric.flatMap((declared): ChainParam[] => {
    const name = declared.name.text;
    const range = (passed.get(name) ?? []).reduce(intersect, declaredRange(module, declared));
    const value = Object.hasOwn(set, name) ? set[name] : defaultOf(module, declared);
    if (typeof value === "object") {
      diagnostics.push(settingIsList(declared.name.span, name));
      return [];
    }
    if (value === undefined) {
      diagnostics.push(missingStatic(declared.name.span, name));
      return [];
    }
    const expected = value === "random" ? undefined : expectedValue({ type: declared.type, range }, value);
    if (expected !== undefined) {
      diagnostics.push(
        setOutOfRange(declared.name.span, name, expected, value as number, fractionMeant(range, value as number)),
      );
      return [];
    }
    const { doc } = declared;
    const param = { name, type: declared.type, default: value, range, ...(doc !== undefined && { doc }) };
    return [{ param, isUniform: !declared.isStatic }];
  });
  return { params, diagnostics };
}

type NumericParam = Ast.Param & { readonly type: Param["type"] };

const setParams = (chain: Ast.Chain): Ast.Param[] => chain.params.filter((p) => p.type === "tokens");

/** The chain's parameters that are sets: a static one is its value, any other a parameter of the graph. */
export function setArguments(
  cx: ChainLowering,
  module: Module,
  chain: Ast.Chain,
  settings: Settings,
): [string, Argument][] {
  return setParams(chain).flatMap((declared): [string, Argument][] => {
    const { text: name, span } = declared.name;
    const { isStatic, size } = declared;
    const given = Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (given !== undefined && typeof given !== "object") {
      cx.diagnostics.push(settingOfSet(span, name));
      return [];
    }
    if (given && !given.every(isTokenItem)) {
      cx.diagnostics.push(settingItems(span, name));
      return [];
    }
    const standard = declared.default && itemsNamed(declared.default, module);
    const of = given ?? standard ?? (isStatic ? undefined : []);
    if (!of) {
      cx.diagnostics.push(missingStatic(span, name));
      return [];
    }
    if (isStatic) return [[name, addSet(cx, { of })]];
    const capacity = evaluateConstant(size!, module)!;
    const ids = of.filter((item) => typeof item !== "object").length;
    if (ids > capacity) {
      cx.diagnostics.push(tooManyTokens(declared.default?.span ?? span, name, capacity, ids));
      return [];
    }
    const { doc } = declared;
    return [[name, addSet(cx, { of, name, capacity, ...(doc !== undefined && { doc }) })]];
  });
}

/** The chain's parameters that are grammars. */
export const grammarParams = (module: Module, chain: Ast.Chain): GrammarParam[] =>
  chain.params.flatMap(({ name, type, default: value, doc }): GrammarParam[] => {
    if (type !== "grammar") return [];
    const standard = value && textConstant(module, value);
    return [
      {
        name: name.text,
        ...(standard?.kind === "string" && { default: standard.value }),
        ...(doc !== undefined && { doc }),
      },
    ];
  });

/** Parameters of type text or list have their default as value. */
export const textArguments = (module: Module, chain: Ast.Chain): [string, Argument][] =>
  chain.params.flatMap(({ name, type, default: value }): [string, Argument][] => {
    const text = value && (type === "text" || type === "list") ? textConstant(module, value) : undefined;
    return text ? [[name.text, text]] : [];
  });

/** The value of a parameter inside the chain. */
export function paramValue({ param, isUniform }: ChainParam): Argument {
  if (param.type === "seed") return { kind: "seed", seed: isUniform ? { param: param.name } : param.default };
  if (!isUniform) return constant(param.default as number);
  return uniformValue({ param: param.name }, rangeInterval(param));
}

function rangeInterval({ range, type }: Param): I.Interval {
  if (type === "bool") return I.UNIT;
  const { min = -Infinity, max = Infinity, minExcluded, maxExcluded } = range;
  // an excluded bound of 0 keeps a divisor from being 0; the smallest positive f32 represents "above 0"
  const lo = minExcluded && min === 0 ? 2 ** -149 : min;
  const hi = maxExcluded && max === 0 ? -(2 ** -149) : max;
  return I.saturated(I.interval(lo, hi));
}

function defaultOf(module: Module, p: Ast.Param): number | "random" | undefined {
  if (!p.default) return p.type === "seed" ? "random" : p.isStatic ? undefined : 0;
  if (p.default.kind === "name" && p.default.text === "random") return "random";
  return evaluateConstant(p.default, module);
}

/** A parameter passed directly to samplers must also satisfy their ranges: these, by its name. */
function passedRanges(module: Module, chain: Ast.Chain): ReadonlyMap<string, readonly Range[]> {
  const ranges = new Map<string, Range[]>();
  for (const stage of chain.stages) {
    const found = module.scope.get(stage.name.text);
    if (!found || !("params" in found.declaration)) continue;
    const targets = new Map(found.declaration.params.map((p) => [p.name.text, p]));
    for (const [name, { value }] of resolveArgs(found.declaration.params, stage.args).bound) {
      const target = targets.get(name);
      if (value.kind !== "name" || !target) continue;
      const present = ranges.get(value.text) ?? [];
      ranges.set(value.text, [...present, declaredRange(found.module, target)]);
    }
  }
  return ranges;
}

function intersect(a: Range, b: Range): Range {
  const lower = (b.min ?? -Infinity) > (a.min ?? -Infinity) || (b.min === a.min && b.minExcluded) ? b : a;
  const upper = (b.max ?? Infinity) < (a.max ?? Infinity) || (b.max === a.max && b.maxExcluded) ? b : a;
  return {
    ...(lower.min !== undefined && { min: lower.min }),
    ...(lower.minExcluded && { minExcluded: true }),
    ...(upper.max !== undefined && { max: upper.max }),
    ...(upper.maxExcluded && { maxExcluded: true }),
  };
}

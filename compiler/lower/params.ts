/** The parameters of the chain: static ones get their value, the others become uniforms of the graph. */
import { missingStatic, setOutOfRange, unknownSetting } from "../diagnostics/params.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { settingOfGrammar } from "../diagnostics/grammars.js";
import { settingOfPhrases } from "../diagnostics/phrases.js";
import { settingIsList, settingItems, settingOfSet, tooManyTokens } from "../diagnostics/sets.js";
import { stagesOf } from "../check/chains.js";
import { isNumeric } from "../check/params.js";
import type { ChainBinding, Local, Param as Typed } from "../check/tree.js";
import { paramsOf } from "../check/types.js";
import type { GrammarParam, Param } from "../graph/graph.js";
import { isTokenItem } from "../graph/sets.js";
import * as I from "../graph/interval.js";
import { expectedValue } from "../graph/param.js";
import { fractionMeant, type Range } from "../core/range.js";
import type { ChainLowering } from "./chainLowering.js";
import { addPhrases, addSet } from "./sets.js";
import type { Argument } from "./scope.js";
import { unchecked } from "../table/unchecked.js";
import { constant, uniformValue } from "../table/value.js";

/** Values of parameters by name; those of a set are token ids and texts. */
export type Settings = Readonly<Record<string, number | readonly (number | string)[]>>;

interface ChainParam {
  readonly local: Local;
  readonly param: Param;
  readonly isUniform: boolean;
}

/** Applies settings to parameters; invalid settings are diagnosed. */
export function chainParams(chain: ChainBinding, set: Settings): { params: ChainParam[]; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const declared = paramsOf(chain).value;
  const numeric = declared.filter(isNumericParam);
  const names = [...numeric, ...setParams(chain), ...phraseParams(chain)].map((p) => p.declaration.name.text);
  for (const name of Object.keys(set)) {
    const grammar = declared.find((p) => p.declaration.type === "grammar" && p.declaration.name.text === name);
    if (grammar) diagnostics.push(settingOfGrammar(grammar.local.span, name));
    else if (!names.includes(name)) diagnostics.push(unknownSetting(chain.declaration.name.span, name, names));
  }
  const passed = passedRanges(chain);
  const params = numeric.flatMap((one): ChainParam[] => {
    const { local, declaration } = one;
    const { type, isStatic, doc } = declaration;
    const { text: name, span } = declaration.name;
    const range = (passed.get(local) ?? []).reduce(intersect, one.range);
    const value = Object.hasOwn(set, name) ? set[name] : defaultOf(one);
    if (typeof value === "object") {
      diagnostics.push(settingIsList(span, name));
      return [];
    }
    if (value === undefined) {
      diagnostics.push(missingStatic(span, name));
      return [];
    }
    const expected = value === "random" ? undefined : expectedValue({ type, range }, value);
    if (expected !== undefined) {
      diagnostics.push(setOutOfRange(span, name, expected, value as number, fractionMeant(range, value as number)));
      return [];
    }
    const param = { name, type, default: value, range, ...(doc !== undefined && { doc }) };
    return [{ local, param, isUniform: !isStatic }];
  });
  return { params, diagnostics };
}

type NumericParam = Typed & { readonly declaration: { readonly type: Param["type"] } };

const isNumericParam = (p: Typed): p is NumericParam => isNumeric(p.declaration);

const setParams = (chain: ChainBinding): Typed[] =>
  paramsOf(chain).value.filter(({ declaration }) => declaration.type === "tokens");

/** The chain's parameters that are sets: a static one is its value, any other a parameter of the graph. */
export function setArguments(cx: ChainLowering, chain: ChainBinding, settings: Settings): [Local, Argument][] {
  return setParams(chain).flatMap(({ local, declaration, default: standard, capacity }): [Local, Argument][] => {
    const { isStatic, doc } = declaration;
    const { text: name, span } = declaration.name;
    const given = Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (given !== undefined && typeof given !== "object") {
      cx.diagnostics.push(settingOfSet(span, name));
      return [];
    }
    if (given && !given.every(isTokenItem)) {
      cx.diagnostics.push(settingItems(span, name));
      return [];
    }
    const of = given ?? (standard?.kind === "set" ? standard.items : isStatic ? undefined : []);
    if (!of) {
      cx.diagnostics.push(missingStatic(span, name));
      return [];
    }
    if (isStatic) return [[local, addSet(cx, { of })]];
    const most = capacity ?? unchecked("a set without a size");
    const ids = of.filter((item) => typeof item !== "object").length;
    if (ids > most) {
      cx.diagnostics.push(tooManyTokens(declaration.default?.span ?? span, name, most, ids));
      return [];
    }
    return [[local, addSet(cx, { of, name, capacity: most, ...(doc !== undefined && { doc }) })]];
  });
}

const phraseParams = (chain: ChainBinding): Typed[] =>
  paramsOf(chain).value.filter(({ declaration }) => declaration.type === "phrases");

/** The chain's parameters that are phrases. */
export function phraseArguments(cx: ChainLowering, chain: ChainBinding, settings: Settings): [Local, Argument][] {
  return phraseParams(chain).flatMap(
    ({ local, declaration: { name, doc }, default: standard }): [Local, Argument][] => {
      const given = Object.hasOwn(settings, name.text) ? settings[name.text] : undefined;
      const isRight =
        given === undefined || (typeof given === "object" && given.every((text) => typeof text === "string"));
      if (!isRight) {
        cx.diagnostics.push(settingOfPhrases(name.span, name.text));
        return [];
      }
      const of = given ?? (standard?.kind === "phrases" ? standard.items : []);
      return [[local, addPhrases(cx, { name: name.text, of }, doc)]];
    },
  );
}

/** The chain's parameters that are grammars. */
export const grammarParams = (chain: ChainBinding): { readonly local: Local; readonly param: GrammarParam }[] =>
  paramsOf(chain).value.flatMap(({ local, declaration: { name, type, doc }, default: standard }) => {
    if (type !== "grammar") return [];
    const text = standard?.kind === "text" ? { default: standard.value } : {};
    return [{ local, param: { name: name.text, ...text, ...(doc !== undefined && { doc }) } }];
  });

/** Parameters of type text or list have their default as value. */
export const textArguments = (cx: ChainLowering, chain: ChainBinding): [Local, Argument][] =>
  paramsOf(chain).value.flatMap(({ local, declaration: { name, type }, default: value }): [Local, Argument][] => {
    if (type !== "text" && type !== "list") return [];
    if (value?.kind === "text" || value?.kind === "list") return [[local, value]];
    cx.diagnostics.push(missingStatic(name.span, name.text));
    return [];
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

function defaultOf({ declaration: { type, isStatic }, default: standard }: Typed): number | "random" | undefined {
  if (!standard) return type === "seed" ? "random" : isStatic ? undefined : 0;
  return standard.kind === "random" ? "random" : standard.constant;
}

/** A parameter passed directly to samplers must also satisfy their ranges: these, by parameter. */
function passedRanges(chain: ChainBinding): ReadonlyMap<Local, readonly Range[]> {
  const ranges = new Map<Local, Range[]>();
  for (const stage of stagesOf(chain).value) {
    if (stage.kind !== "stage") continue;
    for (const [i, { range }] of paramsOf(stage.callee).value.entries()) {
      const arg = stage.args[i]!;
      if (arg.kind === "local") ranges.set(arg.local, [...(ranges.get(arg.local) ?? []), range]);
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

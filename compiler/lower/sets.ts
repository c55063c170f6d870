/** Sets of tokens: columns of a set that is known when the chain is made stay on the device; those of a list of ids are fed. */
import { notAToken } from "../diagnostics/sets.js";
import type { Expr, Member } from "../check/tree.js";
import type { Feature, PhraseList, TokenSet } from "../graph/graph.js";
import { MOST_MASKED } from "../graph/phrases.js";
import * as I from "../graph/interval.js";
import type { ChainLowering } from "./chainLowering.js";
import { not } from "../table/conditions.js";
import { featureColumn } from "../rows/features.js";
import { unchecked } from "../table/unchecked.js";
import { constant, uniformValue, type Value } from "../table/value.js";
import type { Scope, SetArgument } from "./scope.js";

/** The set's number; equal sets of the program are one. */
export function addSet(cx: ChainLowering, set: TokenSet): SetArgument {
  const key = JSON.stringify(set);
  const known = set.name === undefined ? cx.sets.findIndex((other) => JSON.stringify(other) === key) : -1;
  if (known >= 0) return { kind: "set", set: known };
  cx.meter.check("sets", cx.sets.length + 1);
  cx.meter.check("setItems", set.of.length);
  cx.meter.spend(set.of.length);
  return { kind: "set", set: cx.sets.push(set) - 1 };
}

/** A set of the program, or the one that a parameter is. */
export function lowerSet(cx: ChainLowering, { values }: Scope, set: Expr): SetArgument {
  const found =
    set.kind === "set" ? addSet(cx, { of: set.items }) : set.kind === "local" ? values.get(set.local) : undefined;
  return found?.kind === "set" ? found : unchecked("a set that is none");
}

/** Phrases of the program, or those that a parameter is: the set of the tokens that begin one, where the text was taken back. */
export function lowerPhrases(cx: ChainLowering, { values }: Scope, list: Expr): SetArgument {
  const found =
    list.kind === "phrases"
      ? addPhrases(cx, { name: `phrases ${cx.phrases.length}`, of: list.items })
      : list.kind === "local"
        ? values.get(list.local)
        : undefined;
  return found?.kind === "set" ? found : unchecked("phrases that are none");
}

/** @param list with a name that no other has */
export function addPhrases(cx: ChainLowering, list: PhraseList, doc?: string): SetArgument {
  const same = ({ name, of }: PhraseList): boolean =>
    name.includes(" ") && list.name.includes(" ") && JSON.stringify(of) === JSON.stringify(list.of);
  const known = cx.phrases.find(same);
  if (known) return { kind: "set", set: cx.sets.findIndex(({ name }) => name === known.name) };
  cx.meter.check("setItems", list.of.length);
  cx.meter.spend(list.of.length);
  cx.phrases.push(list);
  return addSet(cx, { of: [], name: list.name, capacity: MOST_MASKED, ...(doc !== undefined && { doc }) });
}

/** `token in set`, a column, or `id in set`, which the host computes. */
export function lowerMember(
  cx: ChainLowering,
  scope: Scope,
  { id, isNegated, set }: Member,
  lower: (expr: Expr) => Value,
): Value {
  const found = lowerSet(cx, scope, set);
  if (!id) return setColumn(cx, found.set, isNegated);
  const value = lower(id);
  if (value.kind === "node") {
    cx.diagnostics.push(notAToken(id.span));
    return constant(0);
  }
  const member = uniformValue({ member: value.expr, of: found.set }, I.UNIT);
  return isNegated ? not(cx, member) : member;
}

/** The host computes both the column and its opposite, so that neither costs a node. */
function setColumn(cx: ChainLowering, set: number, isNegated: boolean): Value {
  const { capacity } = cx.sets[set]!;
  const form: Feature["form"] =
    capacity === undefined ? { kind: "dense" } : { kind: "sparse", capacity, fill: isNegated ? 1 : 0 };
  return featureColumn(cx, { form, from: { kind: "set", set, ...(isNegated && { not: true }) } }, I.UNIT);
}

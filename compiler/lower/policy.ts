/** The stages of a policy among those of a chain. */
import type { Policy } from "../check/policies.js";
import { pickIn } from "../check/policies.js";
import type { ChainBinding, Stmt } from "../check/tree.js";
import { isError, type Diagnostic } from "../diagnostics/diagnostic.js";
import { pickDoesMore, policyDoesNotFit } from "../diagnostics/policies.js";
import { LimitExceeded } from "../limits/meter.js";
import type { Span } from "../source/source.js";
import type { StageCall } from "../syntax/ast.js";
import type { ChainLowering } from "./chainLowering.js";

/** Lowers the stages of a chain that has no parameters. */
type LowerStages = (chain: ChainBinding) => void;

/** Lowers stages of a policy. Their faults are told at a place of the request, without any text of the policy. */
function lowerHidden(cx: ChainLowering, chain: ChainBinding, at: Span, lowerStages: LowerStages): void {
  const { call, dropped } = cx;
  const faults = cx.diagnostics.length;
  try {
    lowerStages(chain);
  } catch (error) {
    if (error instanceof LimitExceeded) cx.at = at;
    throw error;
  }
  if (cx.diagnostics.splice(faults).some(isError)) cx.diagnostics.push(policyDoesNotFit(at));
  // both are places of the policy
  cx.call = call;
  cx.dropped = dropped;
  cx.at = at;
}

/** The stages before those of a chain, and those that come before its pick. */
export function beginPolicy(
  cx: ChainLowering,
  { before, beforePick }: Policy,
  at: Span,
  lowerStages: LowerStages,
): void {
  if (before) lowerHidden(cx, before, at, lowerStages);
  cx.beforePick = beforePick;
}

/** Before a sampler: the stages that come before the pick, if it picks. */
export function policyBefore(
  cx: ChainLowering,
  { span, name }: StageCall,
  body: readonly Stmt[],
  lowerStages: LowerStages,
): void {
  const pick = cx.beforePick ? pickIn(body) : "none";
  if (pick === "none") return;
  if (pick === "plain") return endPolicy(cx, span, lowerStages);
  cx.beforePick = undefined;
  cx.diagnostics.push(pickDoesMore(span, name.text));
}

/** The stages before the pick, if they have not come yet. */
export function endPolicy(cx: ChainLowering, at: Span, lowerStages: LowerStages): void {
  const { beforePick } = cx;
  cx.beforePick = undefined;
  if (beforePick) lowerHidden(cx, beforePick, at, lowerStages);
}

/** The diagnostics of a chain without those at places of its policy. */
export const withoutPolicy = (diagnostics: readonly Diagnostic[], policy: Policy | undefined): readonly Diagnostic[] =>
  policy
    ? diagnostics.filter((d) => ![d, ...(d.notes ?? [])].some(({ span }) => policy.sources.has(span.source)))
    : diagnostics;

/** What a chain asks about rules of grammars: each grammar must be followed, and is known from the first token on. */
import type { Expr } from "../check/tree.js";
import { grammarNotFollowed, ruleTooEarly } from "../diagnostics/grammars.js";
import { followerOf, rulesAsked } from "../graph/rules.js";
import type { Value } from "../table/value.js";
import type { ChainLowering } from "./chainLowering.js";

/** Reports grammars that no stage of the chain follows. */
export function checkRuleCalls(cx: ChainLowering): void {
  for (const { callee, grammar } of cx.ruleCalls) {
    const isFollowed = followerOf(cx, { grammar }) >= 0;
    if (!isFollowed) cx.diagnostics.push(grammarNotFollowed(callee.span, callee.text));
  }
}

/**
 * Reports a value that asks about a rule where that is not known: at the call, or at `expr` where an argument asks.
 * @param where as in `before the first token`
 */
export function rejectRule(cx: ChainLowering, value: Value, expr: Expr, where: string): void {
  if (value.kind !== "uniform") return;
  const asked = rulesAsked(value.expr);
  const calls = cx.ruleCalls.filter(({ rule }) => asked.includes(rule)).map(({ callee }) => callee);
  const inside = calls.find(
    ({ span }) => span.source === expr.span.source && span.start >= expr.span.start && span.end <= expr.span.end,
  );
  const [call = inside] = calls;
  if (call) cx.diagnostics.push(ruleTooEarly((inside ?? expr).span, (inside ?? call).text, where));
}

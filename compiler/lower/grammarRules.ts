/** What a chain asks about rules of grammars: each grammar must be followed, and is known from the first token on. */
import { grammarNotFollowed, ruleTooEarly } from "../diagnostics/grammars.js";
import { asksRule, followerOf } from "../graph/rules.js";
import type { ChainLowering } from "./chainLowering.js";

/** Reports what cannot be asked in this chain. */
export function checkRuleCalls(cx: ChainLowering): void {
  const { diagnostics, ruleCalls, states, draws } = cx;
  const [first] = ruleCalls;
  if (!first) return;
  for (const { callee, grammar } of ruleCalls) {
    const isFollowed = followerOf(cx, { grammar }) >= 0;
    if (!isFollowed) diagnostics.push(grammarNotFollowed(callee.span, callee.text));
  }
  const { text, span } = first.callee;
  states.forEach(({ init }, i) => {
    if (asksRule(init))
      diagnostics.push(
        ruleTooEarly(cx.stateNames[i]?.span ?? span, text, "before the first token, where a state begins"),
      );
  });
  if (draws.some(({ at }) => at !== undefined && asksRule(at)))
    diagnostics.push(ruleTooEarly(span, text, "where the index of a draw is computed"));
}

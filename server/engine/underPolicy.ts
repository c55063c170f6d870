/** What a request cannot have where the server has a policy: what takes tokens before its stages, or writes tokens beside them. */
import { Refusal } from "../refusal.js";
import type { PlannedText } from "./plan.js";

/** Throws a `Refusal`. */
export function checkUnderPolicy({ request: { bannedPhrases, thought, trace } }: PlannedText): void {
  if (bannedPhrases)
    throw new Refusal(
      "unsupported_parameter",
      "phrases that are not written are taken from the tokens that this server's policy leaves, until others come: omit them, or use `ban_phrases` in a `sampler`",
      { param: "banned_phrases" },
    );
  if (trace)
    throw new Refusal(
      "unsupported_parameter",
      "a trace would show what this server's policy does to the rows: omit it",
      { param: "trace" },
    );
  if (thought)
    throw new Refusal(
      "unsupported_parameter",
      "the end of a thought is written beside this server's policy: omit the budget",
      { param: "reasoning_budget" },
    );
}

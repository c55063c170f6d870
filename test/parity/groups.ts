/** What is compared on its own: a sampler, or several as in `xtc dist`. One test file per group, since files run in parallel. */
import { SAMPLERS, type SamplerSpec } from "./samplers.js";

const those = (isOf: (spec: SamplerSpec) => boolean): string[] =>
  Object.keys(SAMPLERS).filter((name) => isOf(SAMPLERS[name]!));

export const GROUPS = {
  /** Drop rows by their logits or probabilities. */
  cuts: those((s) => s.picks === undefined && !s.assignsLogits),
  /** Change logits, by numbers, biases and the text so far. */
  logits: [...those((s) => s.picks === undefined && s.assignsLogits), "penalties dist", "dry dist"],
  /** Pick a token; and xtc, whose draws show in the pick after it. */
  picks: [...those((s) => s.picks !== undefined && !s.remembersPicks), "temp dist", "xtc dist"],
  /** Adapt to their own picks. */
  memory: those((s) => s.remembersPicks === true),
} as const;

/** What is compared by itself, a sampler or several as `xtc dist`: a file for each group, since files run at the same time. */
import { SAMPLERS, type SamplerSpec } from "./samplers.js";

const those = (isOf: (spec: SamplerSpec) => boolean): string[] =>
  Object.keys(SAMPLERS).filter((name) => isOf(SAMPLERS[name]!));

export const GROUPS = {
  /** Those that drop rows by their logits or probabilities. */
  cuts: those((s) => s.picks === undefined && !s.assignsLogits),
  /** Those that change logits, by numbers, biases and the text so far. */
  logits: [...those((s) => s.picks === undefined && s.assignsLogits), "penalties dist", "dry dist"],
  /** Those that pick a token, and xtc, whose draws show in what is picked after it. */
  picks: [...those((s) => s.picks !== undefined && !s.remembersPicks), "temp dist", "xtc dist"],
  /** Those that follow their own picks. */
  memory: those((s) => s.remembersPicks === true),
} as const;

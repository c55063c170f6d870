/** Statistics of a generation. */
import type { Split } from "../devices/place.js";
import type { ContextStats } from "../native/binding.js";
import type { SpeculationStats } from "../speculation/step.js";
import type { GenerationStats } from "./generation.js";

/** What does not change while a generation runs. */
interface Facts {
  readonly promptTokens: number;
  /** Of the prompt, so far. */
  readonly computedPromptTokens: () => number;
  readonly split: Split | undefined;
  readonly speculation: SpeculationStats | undefined;
  /** As of the latest batch. */
  readonly context: () => ContextStats;
}

export class Meter {
  latest: GenerationStats;
  /** Tokens that were the only ones that a grammar allowed. */
  forcedTokens = 0;
  private milliseconds = 0;

  constructor(private readonly facts: Facts) {
    this.latest = this.record(0);
  }

  /** The time of a step; that of the first is the prompt's. */
  add(milliseconds: number, generatedTokens: number): void {
    if (generatedTokens > 0) this.milliseconds += milliseconds;
  }

  record(generatedTokens: number, end: Pick<GenerationStats, "finish" | "stopText"> = {}): GenerationStats {
    const { promptTokens, split, context, speculation } = this.facts;
    const computedPromptTokens = this.facts.computedPromptTokens();
    const tokensPerSecond = this.milliseconds > 0 ? ((generatedTokens - 1) * 1000) / this.milliseconds : 0;
    const forced = this.forcedTokens > 0 && { forcedTokens: this.forcedTokens };
    const counts = { promptTokens, computedPromptTokens, generatedTokens, tokensPerSecond, ...speculation, ...forced };
    return (this.latest = { ...context(), ...counts, ...(split && { split }), ...end });
  }
}

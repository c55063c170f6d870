/** Statistics of a generation. */
import type { Split } from "../backends/devices/place.js";
import type { ContextStats } from "../backends/native/binding.js";
import type { SpeculationStats } from "../decode/speculation/speculator.js";
import type { GenerationStats } from "./pieces.js";

/** What does not change while a generation runs. */
interface Facts {
  readonly promptTokens: number;
  /** How many tokens of the prompt were computed so far. */
  readonly computedPromptTokens: () => number;
  readonly split: Split | undefined;
  readonly speculation: SpeculationStats | undefined;
  /** The figures of the context after the latest batch. */
  readonly context: () => ContextStats;
  readonly counts: () => Counts;
}

/** What is counted of a text, without tokens that were taken back. */
type Counts = Required<Pick<GenerationStats, "generatedTokens" | "forcedTokens" | "disallowedTokens">>;

export class StatsCounter {
  private end: Pick<GenerationStats, "finish" | "stopText"> = {};
  private milliseconds = 0;

  constructor(private readonly facts: Facts) {}

  /** The time of a step; that of the first is the prompt's. */
  add(milliseconds: number, generatedTokens: number): void {
    if (generatedTokens > 0) this.milliseconds += milliseconds;
  }

  /** @param end why the text is over, if it is */
  record(end: Pick<GenerationStats, "finish" | "stopText">): void {
    this.end = end;
  }

  get latest(): GenerationStats {
    const { milliseconds } = this;
    const { generatedTokens, forcedTokens, disallowedTokens } = this.facts.counts();
    const { promptTokens, split, context, speculation } = this.facts;
    return {
      ...context(),
      promptTokens,
      computedPromptTokens: this.facts.computedPromptTokens(),
      generatedTokens,
      tokensPerSecond: milliseconds > 0 ? ((generatedTokens - 1) * 1000) / milliseconds : 0,
      ...speculation,
      ...(forcedTokens > 0 && { forcedTokens }),
      ...(disallowedTokens > 0 && { disallowedTokens }),
      ...(split && { split }),
      ...this.end,
    };
  }
}

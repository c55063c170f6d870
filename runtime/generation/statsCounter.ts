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
  /** The text of the token of the prompt that was taken back. */
  readonly healed?: string;
}

/** What is counted of a text, without tokens that were taken back. */
type Counts = Required<Pick<GenerationStats, "generatedTokens" | "forcedTokens" | "disallowedTokens">> &
  Pick<GenerationStats, "rewinds" | "takenBackTokens" | "keptPhrases">;

/** Why a text is over. */
export type TextEnd = Pick<GenerationStats, "finish" | "stopText" | "stoppedBy">;

export class StatsCounter {
  private end: TextEnd = {};
  private milliseconds = 0;

  constructor(private readonly facts: Facts) {}

  /** The time of a step; that of the first is the prompt's. */
  add(milliseconds: number, generatedTokens: number): void {
    if (generatedTokens > 0) this.milliseconds += milliseconds;
  }

  /** @param end why the text is over, if it is */
  record(end: TextEnd): void {
    this.end = end;
  }

  /** Why the text is over, if it is. */
  get why(): TextEnd {
    return this.end;
  }

  get latest(): GenerationStats {
    const { milliseconds } = this;
    const { generatedTokens, forcedTokens, disallowedTokens, ...phrases } = this.facts.counts();
    const { promptTokens, split, context, speculation, healed } = this.facts;
    return {
      ...context(),
      promptTokens,
      computedPromptTokens: this.facts.computedPromptTokens(),
      generatedTokens,
      tokensPerSecond: milliseconds > 0 ? ((generatedTokens - 1) * 1000) / milliseconds : 0,
      ...speculation,
      ...(forcedTokens > 0 && { forcedTokens }),
      ...(disallowedTokens > 0 && { disallowedTokens }),
      ...phrases,
      ...(healed !== undefined && { healed }),
      ...(split && { split }),
      ...this.end,
    };
  }
}

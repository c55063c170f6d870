import { formatTable } from "../../runtime/core/table.js";

/** The results of one sampler's cases on one backend. */
export interface Tally {
  cases: number;
  tokens: number;
  mismatches: string[];
  /** Different, with a margin below 1e-6 by llama.cpp's own numbers. */
  atBoundary: number;
  /** Different, with a margin below the error of an f32 prefix sum over the rows. */
  withinRounding: number;
  /** llama.cpp's order depends on the data, ours is static; rows are compared without order. */
  otherOrder: number;
  /** llama.cpp's own result is inf, NaN or undefined behaviour; only ours is checked. */
  undefinedThere: number;
  /** Rows that llama.cpp masked rather than dropped, in front of a sampler that counts them. */
  masked: number;
  /** Token comparisons that ended early, because the texts diverged. */
  ended: number;
  /** Largest difference of two probabilities of a row. */
  worst: number;
}

export const newTally = (): Tally => ({
  cases: 0,
  tokens: 0,
  atBoundary: 0,
  withinRounding: 0,
  otherOrder: 0,
  undefinedThere: 0,
  masked: 0,
  ended: 0,
  worst: 0,
  mismatches: [],
});

const COLUMNS = [
  "sampler",
  "backend",
  "cases",
  "tokens",
  "mismatches",
  "at 1e-6",
  "f32 sums",
  "other order",
  "llama undef",
  "masked",
  "ended",
  "worst",
];

const line = (name: string, backend: string, t: Tally): string[] => [
  ...[name, backend],
  ...[t.cases, t.tokens, t.mismatches.length, t.atBoundary, t.withinRounding, t.otherOrder].map(String),
  ...[t.undefinedThere, t.masked, t.ended].map(String),
  t.worst.toExponential(1),
];

/** Prints a table with a line per entry of `tallies`; keys are `sampler/backend`. */
export function printTallies(title: string, tallies: ReadonlyMap<string, Tally>): void {
  const lines = [...tallies].map(([key, t]) => line(...(key.split("/") as [string, string]), t));
  process.stdout.write(`${title}\n${formatTable(COLUMNS, lines)}`);
}

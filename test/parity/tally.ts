import { formatTable } from "../../runtime/table.js";

/** What became of the cases of one sampler on one backend. */
export interface Tally {
  cases: number;
  tokens: number;
  mismatches: string[];
  /** Not the same, and within 1e-6 of a decision by llama.cpp's own numbers. */
  atBoundary: number;
  /** Not the same, and within what a running sum of that many f32 numbers can be off. */
  withinRounding: number;
  /** llama.cpp's order follows from the data, ours is static; compared by row and with our order. */
  otherOrder: number;
  /** llama.cpp's own result is inf, NaN or undefined behaviour; only ours is checked. */
  undefinedThere: number;
  /** Rows that llama.cpp masked rather than dropped, in front of a sampler that counts them. */
  masked: number;
  /** Comparisons of tokens that ended early, because from there on the two tell different texts. */
  ended: number;
  /** Largest difference of two probabilities of a row. */
  worst: number;
}

export const newTally = (): Tally => ({
  ...{
    cases: 0,
    tokens: 0,
    atBoundary: 0,
    withinRounding: 0,
    otherOrder: 0,
    undefinedThere: 0,
    masked: 0,
    ended: 0,
    worst: 0,
  },
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

/** A table, a line for each entry of `tallies`, which are named `sampler/backend`. */
export function printTallies(title: string, tallies: ReadonlyMap<string, Tally>): void {
  const lines = [...tallies].map(([key, t]) => line(...(key.split("/") as [string, string]), t));
  process.stdout.write(`${title}\n${formatTable(COLUMNS, lines)}`);
}

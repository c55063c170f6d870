/** A stage of a trace by separate arithmetic: 64 bits, from the rows that the stage leaves. */
import { expect } from "@jest/globals";
import type { StageTrace } from "../../runtime/sequence/trace.js";

interface Row {
  readonly token: number;
  readonly logit: number;
}

/** The rows of plain logits. */
export const rowsOf = (logits: ArrayLike<number>): Row[] =>
  Array.from(logits, (logit, token) => ({ token, logit })).filter(({ logit }) => logit > -0.9e30);

/** What a stage that leaves these rows reports of a token. */
export function expectedOf(rows: readonly Row[], token: number): Omit<StageTrace, "stage"> {
  const most = rows.reduce((best, { logit }) => Math.max(best, logit), -Infinity);
  const total = rows.reduce((sum, { logit }) => sum + Math.exp(logit - most), 0);
  const probabilities = rows.map(({ logit }) => Math.exp(logit - most) / total);
  const own = rows.findIndex((row) => row.token === token);
  return {
    rows: rows.length,
    entropy: -probabilities.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0),
    rank: 1 + rows.filter(({ logit }) => logit > rows[own]!.logit).length,
    probability: probabilities[own]!,
  };
}

/** Fails unless a stage is as it should be, but for the rounding of sums in 32 bits. */
export function expectStage(found: StageTrace, wanted: Omit<StageTrace, "stage">): void {
  const { rows, rank } = wanted;
  expect({ stage: found.stage, rows: found.rows, rank: found.rank }).toEqual({ stage: found.stage, rows, rank });
  expect(Math.abs(found.entropy - wanted.entropy)).toBeLessThan(2e-4 * (1 + wanted.entropy));
  expect(Math.abs(found.probability - wanted.probability)).toBeLessThan(1e-5 + 1e-4 * wanted.probability);
}

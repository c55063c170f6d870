/** What was found, for people and for programs. */
import { formatTable } from "ggsl/core/table.js";
import { reasonOf, type Conformance, type PromptResult } from "./conformance.js";

/** The letters of a prompt that a table shows. */
const SHOWN = 28;

const short = (prompt: string): string =>
  JSON.stringify(prompt.length > SHOWN ? `${prompt.slice(0, SHOWN)}...` : prompt);
const shown = (p: number): string => (p === 0 ? "0" : p < 1e-3 ? p.toExponential(1) : p.toFixed(3));

export function conformanceText(found: Conformance): string {
  const { conforms, level, p, samples, prompts, leftOut } = found;
  const table = formatTable(
    ["prompt", "kept", "samples", "chi-square", "degrees", "p", "p, Holm"],
    prompts.map((one) => [
      short(one.prompt),
      `${one.kept}`,
      `${one.samples}`,
      Number.isFinite(one.statistic) ? one.statistic.toFixed(1) : "infinite",
      `${one.degrees}`,
      shown(one.p),
      shown(one.adjusted),
    ]),
  );
  const out = leftOut.map((one) => `not used: ${short(one.prompt)}: ${reasonOf(one)}\n`).join("");
  const verdict = conforms
    ? `the server samples as the chain says: p ${shown(p)} of ${samples} tokens, at level ${level}\n`
    : `the server does not sample as the chain says: p ${shown(p)} of ${samples} tokens, at level ${level}\n`;
  return `${table}${out}${verdict}${conforms ? "" : worst(prompts)}`;
}

/** What differs most, of the prompt that differs most. */
function worst(prompts: readonly PromptResult[]): string {
  const [first] = prompts.toSorted((a, b) => a.p - b.p || b.statistic - a.statistic);
  if (!first) return "";
  const lines = first.deviations.map(
    ({ token, observed, expected }) => `  ${JSON.stringify(token)}: ${observed} times, expected ${expected.toFixed(1)}`,
  );
  return `after ${short(first.prompt)}:\n${lines.join("\n")}\n`;
}

/** A statistic that is infinite is null. */
export const conformanceJson = (found: Conformance): string =>
  `${JSON.stringify({ ...found, leftOut: found.leftOut.map((one) => ({ ...one, help: reasonOf(one) })) })}\n`;

/** Why a text ended, for people. */
import type { GenerationStats } from "ggsl/generation/generate.js";

/** `finish`, and the stop text or the name of the stop that did it. */
export function endText({
  finish,
  stopText,
  stoppedBy,
}: Pick<GenerationStats, "finish" | "stopText" | "stoppedBy">): string {
  const what = stopText ?? stoppedBy;
  return `ended by ${finish}${what === undefined ? "" : ` ${JSON.stringify(what)}`}`;
}

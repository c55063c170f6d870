/** Orders of the standard library's samplers that are known to be wrong. */
import type { Sink } from "../diagnostics/diagnostic.js";
import { wrongOrder } from "../diagnostics/statements.js";
import type { Stage } from "./tree.js";

interface KnownOrder {
  readonly early: readonly string[];
  readonly late: string;
  readonly why: string;
}

const KNOWN: readonly KnownOrder[] = [
  {
    early: ["temp", "temp_ext", "entropy_temp", "quadratic", "skew"],
    late: "top_n_sigma",
    why: "it measures the spread of the model's own logits, which the earlier stage has changed",
  },
  {
    early: ["xtc"],
    late: "top_k",
    why: "xtc drops the best tokens, so the k best of the rest reach further down than intended",
  },
];

/** Warns of stages in a known wrong order. */
export function checkOrder(stages: readonly Stage[], diagnostics: Sink): void {
  const names = stages.map((stage) => {
    const source = stage.kind === "stage" ? stage.callee.module.source.name : undefined;
    const { text } = stage.call.name;
    return source === `std/${text}.ggsl` ? text : undefined;
  });
  for (const { early, late, why } of KNOWN) {
    const first = names.findIndex((n) => n !== undefined && early.includes(n));
    const last = names.lastIndexOf(late);
    if (first >= 0 && last > first)
      diagnostics.push(wrongOrder(stages[last]!.call.span, late, stages[first]!.call, why));
  }
}

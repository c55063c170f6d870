/** Orders of the standard library's samplers that are known to be wrong. */
import type { Chain } from "../syntax/ast.js";
import type { Sink } from "./diagnostics.js";
import { wrongOrder } from "./diagnostics/statements.js";
import type { Module } from "./program.js";

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
export function checkOrder(module: Module, chain: Chain, diagnostics: Sink): void {
  const names = chain.stages.map(({ name, isHost }) => {
    const source = isHost ? undefined : module.scope.get(name.text)?.module.source.name;
    return source === `std/${name.text}.ggsl` ? name.text : undefined;
  });
  for (const { early, late, why } of KNOWN) {
    const first = names.findIndex((n) => n !== undefined && early.includes(n));
    const last = names.lastIndexOf(late);
    if (first >= 0 && last > first)
      diagnostics.push(wrongOrder(chain.stages[last]!.span, late, chain.stages[first]!, why));
  }
}

/** Inlay hints: the number of rows after each stage that changes it. */
import type { InlayHint } from "vscode-languageserver";
import type { Span } from "@ggsl/compiler/source/source.js";
import { stageFacts, type Analysis, type ChainCache } from "./analysis.js";
import { describeStage } from "./describe.js";
import { chainsOf } from "./hover.js";
import { positionOf } from "./positions.js";

/** Hints for the chains that overlap a part of the file. */
export function inlayHints(cache: ChainCache, analysis: Analysis, within: Pick<Span, "start" | "end">): InlayHint[] {
  const chains = chainsOf(analysis).filter(({ span }) => span.start <= within.end && within.start <= span.end);
  return chains.flatMap((chain) =>
    (stageFacts(cache, analysis, chain) ?? []).flatMap((facts, i): InlayHint[] => {
      if (facts.rows === facts.rowsBefore) return [];
      const { source, end } = chain.stages[i]!.span;
      const label = `${facts.rows} row${facts.rows === "1" ? "" : "s"}`;
      return [{ position: positionOf(source, end), label, paddingLeft: true, tooltip: describeStage(facts) }];
    }),
  );
}

/** The hover text of the word under the pointer. */
import type { Hover } from "vscode-languageserver";
import type { Occurrence } from "@ggsl/compiler/check/tree.js";
import type { Chain, StageCall } from "@ggsl/compiler/syntax/ast.js";
import { KEYWORDS } from "@ggsl/compiler/source/keywords.js";
import { stageFacts, type Analysis, type ChainCache, type StageFacts } from "./analysis.js";
import { describe, describeStage, paragraphs } from "./describe.js";
import { occurrenceAt } from "./names.js";
import { rangeOf } from "./positions.js";
import { wordAt } from "./words.js";

export function hover(
  cache: ChainCache,
  analysis: Analysis,
  occurrences: readonly Occurrence[],
  offset: number,
): Hover | null {
  const found = occurrenceAt(occurrences, offset);
  if (found) {
    const facts = found.stage && factsOfStage(cache, analysis, found.stage);
    const value = paragraphs(describe(found.text, found.meaning), facts && describeStage(facts));
    return { contents: { kind: "markdown", value }, range: rangeOf(found.span) };
  }
  const word = wordAt(analysis.source, offset);
  if (!word || !Object.hasOwn(KEYWORDS, word.text)) return null;
  const value = paragraphs(`\`${word.text}\``, KEYWORDS[word.text]!.doc);
  return { contents: { kind: "markdown", value }, range: rangeOf(word.span) };
}

/** The chains of a file: those that it declares, and those that its tests run. */
export const chainsOf = ({ module }: Analysis): Chain[] =>
  module.file.declarations.flatMap((d): Chain[] => {
    if (d.kind === "chain") return [d];
    if (d.kind !== "test") return [];
    return d.clauses.flatMap((c) =>
      c.kind === "run"
        ? [{ kind: "chain", name: { text: d.title, span: d.span }, params: [], stages: c.stages, span: c.span }]
        : [],
    );
  });

function factsOfStage(cache: ChainCache, analysis: Analysis, stage: StageCall): StageFacts | undefined {
  const chain = chainsOf(analysis).find((c) => c.stages.includes(stage));
  return chain && stageFacts(cache, analysis, chain)?.[chain.stages.indexOf(stage)];
}

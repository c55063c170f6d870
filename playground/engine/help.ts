/** Help at a place in the program, from the language service: what a name means, and the call around it. */
import { checkSource } from "@ggsl/compiler/driver.js";
import { loadStd, newLoader } from "@ggsl/compiler/check/modules.js";
import { topLevel } from "@ggsl/compiler/check/names.js";
import { occurrencesOf } from "@ggsl/compiler/check/occurrences.js";
import type { Analysis } from "@ggsl/lsp/analysis.js";
import { contextAt } from "@ggsl/lsp/context.js";
import { hover } from "@ggsl/lsp/hover.js";
import { offsetOf } from "@ggsl/lsp/positions.js";
import { signatureHelp, type FindStage } from "@ggsl/lsp/signature.js";
import type { HelpRequest, HoverReply, SignatureReply } from "./messages.js";
import { parseProgram } from "./parser.js";
import { sourceOf } from "./program.js";

const library = newLoader();

function analysed(text: string): Analysis {
  const source = sourceOf(text);
  return { source, ...checkSource(source, { parse: parseProgram }) };
}

export function hoverReply({ text, offset }: HelpRequest): HoverReply | null {
  const analysis = analysed(text);
  const found = hover(new Map(), analysis, occurrencesOf(analysis.module), offset);
  if (!found?.range) return null;
  const [from, to] = [found.range.start, found.range.end].map((at) => offsetOf(analysis.source, at));
  return { from: from!, to: to!, markdown: markdownOf(found.contents) };
}

export function signatureReply({ text, offset }: HelpRequest): SignatureReply | null {
  const analysis = analysed(text);
  const { call } = contextAt(analysis.source, offset);
  const help = call && signatureHelp(call, stageIn(analysis));
  const signature = help?.signatures[0];
  if (!signature) return null;
  const active = signature.parameters?.[help.activeParameter ?? 0]?.label;
  const { label, documentation } = signature;
  return {
    label,
    ...(typeof active === "string" && { active }),
    ...(documentation !== undefined && { markdown: markdownOf(documentation) }),
  };
}

const stageIn =
  ({ module }: Analysis): FindStage =>
  (name) => {
    const meaning = topLevel(module, name);
    const declaration =
      meaning && "binding" in meaning ? meaning.binding.declaration : loadStd(library, name)?.declaration;
    return declaration && "params" in declaration ? declaration : undefined;
  };

/** The service writes Markdown; the protocol allows more. */
const markdownOf = (content: unknown): string => (content as { readonly value: string }).value;

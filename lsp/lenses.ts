/** What can be done with the chains and tests of a file: lenses above them, and an action on a stage. */
import { CodeActionKind, type CodeAction, type CodeLens, type Command } from "vscode-languageserver";
import { isOpen } from "@ggsl/compiler/driver.js";
import type { Span } from "@ggsl/compiler/source/source.js";
import { countStages, isChain, type Analysis } from "./analysis.js";
import type { CommandName, Target } from "./commands.js";
import { rangeOf } from "./positions.js";

/** Lenses above each chain that needs no further values, and above each test. */
export function codeLenses(analysis: Analysis, uri: string): CodeLens[] {
  const { module, source } = analysis;
  return module.file.declarations.flatMap((d): CodeLens[] => {
    const lens = (title: string, command: CommandName, target: Omit<Target, "uri">): CodeLens => {
      const at = d.kind === "chain" ? d.name.span : { source, start: d.span.start, end: d.span.start };
      return { range: rangeOf(at), command: commandOf(title, command, { uri, ...target }) };
    };
    if (d.kind === "test") {
      const { start } = rangeOf(d.span);
      return [lens("test", "ggsl.test", { line: start.line })];
    }
    if (d.kind !== "chain" || isOpen(d)) return [];
    const chain = d.name.text;
    return [
      lens("run on the demo model", "ggsl.run", { chain }),
      lens("show the graph", "ggsl.graph", { chain }),
      lens("explain", "ggsl.explain", { chain }),
    ];
  });
}

/** The action that explains the stage at a place. */
export function stageActions({ module }: Analysis, uri: string, { start }: Pick<Span, "start">): CodeAction[] {
  return module.file.declarations.flatMap((d) => {
    if (d.kind !== "chain" || isOpen(d)) return [];
    const at = d.stages.findIndex(({ span }) => span.start <= start && start <= span.end);
    const stage = d.stages[at];
    // a chain within the chain has a lens of its own
    if (!stage || isChain(module, stage)) return [];
    const before = d.stages.slice(0, at).reduce((sum, s) => sum + countStages(module, s), 0);
    const title = `Explain the stage ${stage.name.text}`;
    const command = commandOf(title, "ggsl.explain", { uri, chain: d.name.text, stage: before + 1 });
    return [{ title, kind: CodeActionKind.Empty, command }];
  });
}

const commandOf = (title: string, command: CommandName, target: Target): Command => ({
  title,
  command,
  arguments: [target],
});

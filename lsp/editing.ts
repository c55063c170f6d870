/** Requests that edit a program: other names, its format, and fixes. */
import { CodeActionKind, LSPErrorCodes, ResponseError, type TextEdit } from "vscode-languageserver";
import { print } from "@ggsl/format/print.js";
import { quickFix } from "@ggsl/compiler/check/fixes.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import { lspDiagnostic } from "./diagnostics.js";
import { stageActions } from "./lenses.js";
import { rangeOf, textEdit } from "./positions.js";
import { checkNewName, checkRenamable, RenameError, usesOf } from "./rename.js";
import { spanOf, type Session } from "./session.js";

export function answerRenames({ connection, state, uriOf, nameAt }: Session): void {
  connection.onPrepareRename((params) =>
    refusable(() => {
      const occurrence = nameAt(params);
      if (!occurrence) throw new RenameError("there is no name here");
      checkRenamable(occurrence);
      return { range: rangeOf(occurrence.span), placeholder: occurrence.text };
    }),
  );

  connection.onRenameRequest((params) =>
    refusable(() => {
      const occurrence = nameAt(params);
      if (!occurrence) throw new RenameError("there is no name here");
      checkRenamable(occurrence);
      const modules = state.modulesWith(occurrence.text);
      checkNewName(modules, occurrence, String(params.newName));
      const changes: Record<string, TextEdit[]> = {};
      for (const { span } of usesOf(modules, occurrence.meaning))
        (changes[uriOf(span.source)] ??= []).push({ range: rangeOf(span), newText: params.newName });
      return { changes };
    }),
  );
}

export function answerFormatting({ connection, open }: Session): void {
  connection.onDocumentFormatting(({ textDocument }) => {
    const { source } = open(textDocument?.uri);
    const printed = print(source);
    if ("diagnostics" in printed)
      throw new ResponseError(LSPErrorCodes.RequestFailed, "a file with syntax errors cannot be formatted");
    return difference(source, printed.text);
  });
}

export function answerActions({ connection, state, uriOf, open }: Session): void {
  connection.onCodeAction(({ textDocument, range, context }) => {
    const analysis = open(textDocument?.uri);
    const { start, end } = spanOf(analysis.source, range);
    const wants = (kind: CodeActionKind): boolean => context?.only?.includes(kind) ?? true;
    const actions = wants(CodeActionKind.Empty) ? stageActions(analysis, textDocument.uri, { start }) : [];
    const near = state
      .diagnose(analysis)
      .filter(({ span }) => span.source === analysis.source && span.start <= end && start <= span.end);
    const fixes = near.flatMap((d) => {
      const fix = quickFix(analysis.module.file, d);
      if (!fix) return [];
      const edit = { changes: { [textDocument.uri]: fix.edits.map(textEdit) } };
      return [{ title: fix.title, kind: CodeActionKind.QuickFix, diagnostics: [lspDiagnostic(uriOf, d)], edit }];
    });
    return [...fixes, ...actions];
  });
}

/** Answers a `RenameError` as a failed request. */
function refusable<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof RenameError) throw new ResponseError(LSPErrorCodes.RequestFailed, error.message);
    throw error;
  }
}

/** The shortest single edit that turns a source into `text`. */
function difference(source: SourceFile, text: string): TextEdit[] {
  const old = source.text;
  if (old === text) return [];
  let start = 0;
  while (start < Math.min(old.length, text.length) && old[start] === text[start]) start++;
  let same = 0;
  const most = Math.min(old.length, text.length) - start;
  while (same < most && old[old.length - 1 - same] === text[text.length - 1 - same]) same++;
  const range = rangeOf({ source, start, end: old.length - same });
  return [{ range, newText: text.slice(start, text.length - same) }];
}

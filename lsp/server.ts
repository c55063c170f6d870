/** The language server: dispatches the protocol's requests to the files of this folder. */
import {
  CodeActionKind,
  ErrorCodes,
  FileChangeType,
  LSPErrorCodes,
  ResponseError,
  TextDocuments,
  TextDocumentSyncKind,
  type Connection,
  type InitializeResult,
  type Position,
  type Range,
  type ServerCapabilities,
  type TextEdit,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { print } from "@ggsl/format/print.js";
import { importEdits, quickFix } from "@ggsl/compiler/check/fixes.js";
import { topLevel } from "@ggsl/compiler/check/names.js";
import { foundFile } from "@ggsl/compiler/check/program.js";
import type { Meaning, Occurrence } from "@ggsl/compiler/check/tree.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import { COMMANDS, newCommands, type RunGgsl } from "./commands.js";
import { completion } from "./completion.js";
import { contextAt } from "./context.js";
import { lspDiagnostic, lspDiagnostics } from "./diagnostics.js";
import { newFiles } from "./files.js";
import { inlayHints } from "./hints.js";
import { hover } from "./hover.js";
import { codeLenses, stageActions } from "./lenses.js";
import { declarationOf, occurrenceAt } from "./names.js";
import { outline } from "./outline.js";
import { locationOf, offsetOf, rangeOf, textEdit, touches } from "./positions.js";
import { checkNewName, checkRenamable, RenameError, usesOf } from "./rename.js";
import { LEGEND, semanticTokens } from "./semantic.js";
import { signatureHelp, type FindStage } from "./signature.js";
import { newState } from "./state.js";
import type { Analysis } from "./analysis.js";

export interface ServerOptions {
  readonly version: string;
  /** The folder of the standard library's sources, to show definitions in. */
  readonly stdFolder: string;
  /** Runs the `ggsl` command for lenses. */
  readonly runGgsl: RunGgsl;
}

const CAPABILITIES: ServerCapabilities = {
  textDocumentSync: TextDocumentSyncKind.Incremental,
  hoverProvider: true,
  completionProvider: { triggerCharacters: [">", "(", ","] },
  signatureHelpProvider: { triggerCharacters: ["(", ","] },
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  inlayHintProvider: true,
  documentFormattingProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.Empty] },
  codeLensProvider: {},
  executeCommandProvider: { commands: [...COMMANDS] },
  semanticTokensProvider: { legend: LEGEND, full: true },
};

/** Answers a client until the connection ends. */
export function startServer(connection: Connection, { version, stdFolder, runGgsl }: ServerOptions): void {
  const documents = new TextDocuments(TextDocument);
  const files = newFiles({ stdFolder, document: (uri) => documents.get(uri), documents: () => documents.all() });
  const state = newState(files);
  const uriOf = (source: SourceFile): string => files.uriOf(source);

  let client = { takesResults: false, showsDocuments: false };
  connection.onInitialize(({ workspaceFolders, capabilities, initializationOptions }): InitializeResult => {
    client = {
      takesResults: (initializationOptions as { results?: unknown } | undefined)?.results === true,
      showsDocuments: capabilities.window?.showDocument?.support === true,
    };
    files.setFolders(workspaceFolders?.map(({ uri }) => uri) ?? []);
    return { capabilities: CAPABILITIES, serverInfo: { name: "ggsl", version } };
  });

  // ---------------------------------------------------------------- diagnostics

  const waiting = new Set<string>();
  let isScheduled = false;

  /** Analyses several changes in quick succession once. */
  function schedule(...uris: readonly string[]): void {
    for (const uri of uris) if (typeof uri === "string") waiting.add(uri);
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const [uri] = waiting;
      if (uri === undefined) return;
      waiting.delete(uri);
      try {
        publish(uri);
      } catch (error) {
        // a fault of the compiler must not end the server
        connection.console.error(`${uri}: ${(error as Error).stack ?? String(error)}`);
      }
      schedule();
    });
  }

  function publish(uri: string): void {
    const document = documents.get(uri);
    const analysis = state.analysisOf(uri);
    if (!document || !analysis) return;
    const diagnostics = lspDiagnostics(uriOf, analysis, state.diagnose(analysis));
    void connection.sendDiagnostics({ uri, version: document.version, diagnostics });
  }

  /** Open documents that import a file, directly or indirectly. */
  const dependents = (name: string): string[] =>
    documents
      .all()
      .map(({ uri }) => uri)
      .filter((uri) => {
        const analysis = state.analysisOf(uri);
        return analysis?.source.name !== name && analysis?.files.has(name);
      });

  documents.onDidChangeContent(({ document: { uri } }) => {
    const name = files.open(uri)?.name;
    const importers = documents.all().length > 1 && name !== undefined ? dependents(name) : [];
    state.touch();
    schedule(uri, ...importers);
  });
  documents.onDidClose(({ document: { uri } }) => {
    state.touch();
    state.forget(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
    schedule(...documents.all().map((d) => d.uri));
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    if (!changes.some(({ type }) => Object.values(FileChangeType).includes(type))) return;
    state.touch();
    schedule(...documents.all().map(({ uri }) => uri));
  });

  // ---------------------------------------------------------------- places

  function open(uri: unknown): Analysis {
    const analysis = typeof uri === "string" ? state.analysisOf(uri) : undefined;
    if (!analysis) throw new ResponseError(ErrorCodes.InvalidParams, `the document ${JSON.stringify(uri)} is not open`);
    return analysis;
  }

  function at(params: { textDocument: { uri: string }; position: Position }): { analysis: Analysis; offset: number } {
    const analysis = open(params.textDocument?.uri);
    const { line, character } = params.position ?? {};
    if (!Number.isInteger(line) || !Number.isInteger(character))
      throw new ResponseError(
        ErrorCodes.InvalidParams,
        `a position has a line and a character, found ${JSON.stringify(params.position)}`,
      );
    return { analysis, offset: offsetOf(analysis.source, params.position) };
  }

  function found(params: Parameters<typeof at>[0]): Occurrence | undefined {
    const { analysis, offset } = at(params);
    return occurrenceAt(state.occurrencesIn(analysis), offset);
  }

  const stageIn =
    ({ module }: Analysis): FindStage =>
    (name) => {
      const meaning: Meaning | undefined = topLevel(module, name) ?? state.std(name);
      const declaration = meaning && "binding" in meaning ? meaning.binding.declaration : undefined;
      return declaration && "params" in declaration ? declaration : undefined;
    };

  // ---------------------------------------------------------------- requests

  connection.onHover((params) => {
    const { analysis, offset } = at(params);
    return hover(state.chains, analysis, state.occurrencesIn(analysis), offset);
  });

  connection.onCompletion((params) => {
    const { analysis, offset } = at(params);
    return completion(contextAt(analysis.source, offset), {
      module: analysis.module,
      std: (name) => state.std(name),
      importEdits: (name) => importEdits(analysis.module.file, name).map(textEdit),
      exports(from) {
        const source = foundFile(files.importer(from, analysis.source.name));
        const module = source && state.moduleOf(source);
        return [...(module?.scope ?? [])].flatMap(([name, b]) =>
          b.module === module ? [[name, topLevel(module, name)!] as const] : [],
        );
      },
      findStage: stageIn(analysis),
    });
  });

  connection.onSignatureHelp((params) => {
    const { analysis, offset } = at(params);
    const { call } = contextAt(analysis.source, offset);
    return call ? signatureHelp(call, stageIn(analysis)) : null;
  });

  connection.onDefinition((params) => {
    const { analysis, offset } = at(params);
    const occurrence = occurrenceAt(state.occurrencesIn(analysis), offset);
    if (occurrence && "span" in occurrence.meaning) return locationOf(uriOf, declarationOf(occurrence.meaning));
    const statement = analysis.module.file.declarations.find((d) => d.kind === "import" && touches(d.fromSpan, offset));
    const file = statement?.kind === "import" && foundFile(files.importer(statement.from, analysis.source.name));
    return file ? locationOf(uriOf, { source: file, start: 0, end: 0 }) : null;
  });

  connection.onReferences((params) => {
    const occurrence = found(params);
    if (!occurrence) return null;
    const uses = usesOf(state.modulesWith(occurrence.text), occurrence.meaning);
    return uses
      .filter(({ isDeclaration }) => !isDeclaration || params.context?.includeDeclaration !== false)
      .map(({ span }) => locationOf(uriOf, span));
  });

  connection.onPrepareRename((params) =>
    refusable(() => {
      const occurrence = found(params);
      if (!occurrence) throw new RenameError("there is no name here");
      checkRenamable(occurrence);
      return { range: rangeOf(occurrence.span), placeholder: occurrence.text };
    }),
  );

  connection.onRenameRequest((params) =>
    refusable(() => {
      const occurrence = found(params);
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

  connection.onDocumentSymbol(({ textDocument }) => outline(open(textDocument?.uri).module.file));

  connection.languages.inlayHint.on(({ textDocument, range }) => {
    const analysis = open(textDocument?.uri);
    return inlayHints(state.chains, analysis, spanOf(analysis.source, range));
  });

  connection.languages.semanticTokens.on(({ textDocument }) =>
    semanticTokens(state.occurrencesIn(open(textDocument?.uri))),
  );

  connection.onDocumentFormatting(({ textDocument }) => {
    const { source } = open(textDocument?.uri);
    const printed = print(source);
    if ("diagnostics" in printed)
      throw new ResponseError(LSPErrorCodes.RequestFailed, "a file with syntax errors cannot be formatted");
    return difference(source, printed.text);
  });

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

  connection.onCodeLens(({ textDocument }) => codeLenses(open(textDocument?.uri), textDocument.uri));

  connection.onExecuteCommand(
    newCommands({
      runGgsl,
      connection,
      client: () => client,
      open(uri) {
        const { source } = open(uri);
        return { source, root: files.rootOf(source.name) };
      },
    }),
  );

  documents.listen(connection);
  connection.listen();
}

/** A range as offsets; without one, the whole text. */
const spanOf = (source: SourceFile, range: Range | undefined): { start: number; end: number } =>
  range?.start && range.end
    ? { start: offsetOf(source, range.start), end: offsetOf(source, range.end) }
    : { start: 0, end: source.text.length };

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

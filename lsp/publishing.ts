/** Diagnostics of open documents, which are sent when they or the files that they import change. */
import { FileChangeType, type TextDocuments } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { lspDiagnostics } from "./diagnostics.js";
import type { Session } from "./session.js";

export function publishDiagnostics(
  { connection, files, state, uriOf }: Session,
  documents: TextDocuments<TextDocument>,
): void {
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
}

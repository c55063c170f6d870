/** The language server: dispatches the protocol's requests to the files of this folder. */
import {
  CodeActionKind,
  TextDocuments,
  TextDocumentSyncKind,
  type Connection,
  type InitializeResult,
  type ServerCapabilities,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { COMMANDS, newCommands, type RunGgsl } from "./commands.js";
import { answerActions, answerFormatting, answerRenames } from "./editing.js";
import { newFiles } from "./files.js";
import { publishDiagnostics } from "./publishing.js";
import { answerAtPlaces, answerOfDocuments, answerWhere } from "./reading.js";
import { LEGEND } from "./semantic.js";
import { newSession } from "./session.js";
import { newState } from "./state.js";

interface ServerOptions {
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
  const session = newSession(connection, files, newState(files));

  let client = { takesResults: false, showsDocuments: false };
  connection.onInitialize(({ workspaceFolders, capabilities, initializationOptions }): InitializeResult => {
    client = {
      takesResults: (initializationOptions as { results?: unknown } | undefined)?.results === true,
      showsDocuments: capabilities.window?.showDocument?.support === true,
    };
    files.setFolders(workspaceFolders?.map(({ uri }) => uri) ?? []);
    return { capabilities: CAPABILITIES, serverInfo: { name: "ggsl", version } };
  });

  publishDiagnostics(session, documents);
  answerAtPlaces(session);
  answerWhere(session);
  answerOfDocuments(session);
  answerRenames(session);
  answerFormatting(session);
  answerActions(session);
  connection.onExecuteCommand(
    newCommands({
      runGgsl,
      connection,
      client: () => client,
      open(uri) {
        const { source } = session.open(uri);
        return { source, root: files.rootOf(source.name) };
      },
    }),
  );

  documents.listen(connection);
  connection.listen();
}

/** The language server: random edits of open documents, and requests at random places, over its own protocol. */
import * as fc from "fast-check";
import { PassThrough } from "node:stream";
import {
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { createConnection, ErrorCodes, ProposedFeatures, type Position, type Range } from "vscode-languageserver/node";
import { startServer } from "../../../lsp/server.js";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorter, shorterTexts } from "../core/shrink.js";
import { TEXTS } from "./programs.js";

const METHODS = [
  ...["hover", "completion", "signatureHelp", "definition", "references", "prepareRename", "rename"],
  ...["documentSymbol", "inlayHint", "formatting", "codeAction", "codeLens", "semanticTokens/full"],
] as const;

interface Step {
  readonly document: number;
  readonly action: "open" | "change" | "replace" | "close" | "request";
  readonly text: string;
  readonly method: (typeof METHODS)[number];
  /** Line and character, which may be beyond the end. */
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly name: string;
}

const places = fc.tuple(
  fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 30 }) }, fc.constantFrom(10_000, 2 ** 31 - 1)),
  fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 60 }) }, fc.constantFrom(10_000, 2 ** 31 - 1)),
);
const pieces = fc.constantFrom(
  ...[
    "",
    "\n",
    "\r",
    "\r\n",
    " ",
    "(",
    ")",
    "{",
    "}",
    '"',
    "//",
    "///",
    "|>",
    "logit",
    "sampler x() {",
    "import { a } from ",
  ],
  ...["é𝒳\u202e", "\0", "\x1b[0m", 'import { x } from "1.ggsl"', 'import { x } from "/dev/zero"', "temp(".repeat(50)],
);

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    document: fc.nat({ max: 2 }),
    action: fc.constantFrom<Step["action"]>(
      "open",
      "change",
      "change",
      "change",
      "replace",
      "close",
      "request",
      "request",
      "request",
    ),
    text: fc.oneof({ weight: 3, arbitrary: pieces }, { weight: 1, arbitrary: fc.constantFrom(...TEXTS) }),
    method: fc.constantFrom(...METHODS),
    from: places,
    to: places,
    name: fc.constantFrom("y", "logit", "", " ", "a b", "é", "x".repeat(5000), "temp"),
  }),
  { minLength: 1, maxLength: 20, size: "max" },
);

const position = ([line, character]: readonly [number, number]): Position => ({ line, character });

/** LSP requires that the end does not come before the start. */
function range({ from, to }: Step): Range {
  const isOrdered = from[0] < to[0] || (from[0] === to[0] && from[1] <= to[1]);
  return { start: position(isOrdered ? from : to), end: position(isOrdered ? to : from) };
}

/** Answers that mean that the server failed, not the request. */
const FAILURES: readonly number[] = [ErrorCodes.InternalError, ErrorCodes.UnknownErrorCode, ErrorCodes.MethodNotFound];

function connect(): MessageConnection {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const server = createConnection(ProposedFeatures.all, new StreamMessageReader(up), new StreamMessageWriter(down));
  const runGgsl = () => Promise.resolve({ stdout: "", stderr: "not in this process", status: 1 });
  startServer(server, { version: "0", stdFolder: "compiler/std", runGgsl });
  const client = createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  client.listen();
  return client;
}

async function play(client: MessageConnection, all: readonly Step[]): Promise<void> {
  await client.sendRequest("initialize", { processId: null, rootUri: null, capabilities: {} });
  const versions = new Map<string, number>();
  for (const step of all) {
    const uri = `untitled:${step.document}.ggsl`;
    const version = (versions.get(uri) ?? 0) + 1;
    const textDocument = { uri, version, languageId: "ggsl", text: step.text };
    if (step.action === "open" || (step.action !== "close" && !versions.has(uri))) {
      await client.sendNotification("textDocument/didOpen", { textDocument });
      versions.set(uri, version);
    } else if (step.action === "close") {
      if (versions.delete(uri)) await client.sendNotification("textDocument/didClose", { textDocument });
    } else if (step.action === "request") {
      await request(client, step, uri);
    } else {
      const change = step.action === "replace" ? { text: step.text } : { text: step.text, range: range(step) };
      await client.sendNotification("textDocument/didChange", { textDocument, contentChanges: [change] });
      versions.set(uri, version);
    }
  }
  // once this is answered, all diagnostics were computed
  const last = { uri: "untitled:last.ggsl", version: 1, languageId: "ggsl", text: "" };
  await client.sendNotification("textDocument/didOpen", { textDocument: last });
  await client.sendRequest("textDocument/documentSymbol", { textDocument: last });
  await new Promise((resolve) => setImmediate(resolve));
}

async function request(client: MessageConnection, step: Step, uri: string): Promise<void> {
  const params = {
    textDocument: { uri },
    position: position(step.from),
    range: range(step),
    newName: step.name,
    context: { includeDeclaration: true, diagnostics: [] },
    options: { tabSize: 2, insertSpaces: true },
  };
  try {
    await client.sendRequest(`textDocument/${step.method}`, params);
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    if (FAILURES.includes(error.code)) throw new Wrong(`${step.method}: ${error.message}`);
  }
}

export const editor = defineGenerator<readonly Step[]>({
  name: "editor",
  doc: "the language server: random edits of open documents, and requests at random places",
  cases: steps,
  // several analyses of the largest programs
  seconds: 3,
  async run(all) {
    const client = connect();
    try {
      await play(client, all);
    } finally {
      client.dispose();
    }
  },
  *smaller(all) {
    yield* shorter(all);
    for (const [i, step] of all.entries())
      for (const text of shorterTexts(step.text)) yield all.with(i, { ...step, text });
  },
});

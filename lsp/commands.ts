/**
 * The commands of lenses and actions. Each runs the `ggsl` command in a process of its own on the present text of a document, so that
 * nothing that a program does can hold up or end the server.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  ErrorCodes,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  type CancellationToken,
  type Connection,
  type ExecuteCommandParams,
} from "vscode-languageserver";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import { isWord } from "@ggsl/compiler/source/lexemes.js";

export const COMMANDS = ["ggsl.run", "ggsl.test", "ggsl.graph", "ggsl.explain"] as const;
export type CommandName = (typeof COMMANDS)[number];

/** What a command is about: its only argument. */
export interface Target {
  readonly uri: string;
  readonly chain?: string;
  /** A stage of the chain, counted from 1, those of chains within it included. */
  readonly stage?: number;
  /** The line of a test, counted from 0. */
  readonly line?: number;
}

/** The result of a command, for a client that asks for it. */
export type Result =
  /** A page of HTML without scripts. */
  | { readonly kind: "page"; readonly title: string; readonly html: string }
  | { readonly kind: "text"; readonly title: string; readonly text: string }
  /** The verdict on a test, with what differs. */
  | { readonly kind: "test"; readonly title: string; readonly isPassed: boolean; readonly text: string };

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
  /** What ended it; absent if it ended by itself. */
  readonly signal?: string;
}

/** Runs `ggsl` with these arguments and this text on standard input, for a limited time. */
export type RunGgsl = (args: readonly string[], input: string, signal: AbortSignal) => Promise<Ran>;

/** What a client can do with results. */
interface ClientAbilities {
  /** It asked for results in the answers, by `initializationOptions: { results: true }`. */
  readonly takesResults: boolean;
  readonly showsDocuments: boolean;
}

interface CommandContext {
  readonly runGgsl: RunGgsl;
  readonly connection: Connection;
  readonly client: () => ClientAbilities;
  /** The source of an open document, and the folder that its imports stay below. Throws `ResponseError` if it is not open. */
  readonly open: (uri: unknown) => { readonly source: SourceFile; readonly root: string };
}

/** The most commands that run at the same time. */
const MOST = 4;
/** The most characters of a message on the screen. */
const MAX_MESSAGE = 2000;

/** The handler of `workspace/executeCommand`. */
export function newCommands({ runGgsl, connection, client, open }: CommandContext) {
  let running = 0;
  let folder: string | undefined;

  async function ran(target: Target, args: readonly string[], token: CancellationToken): Promise<Ran> {
    const { source, root } = open(target.uri);
    if (running >= MOST) throw failed(`${MOST} commands of this server are running; wait until one has ended`);
    const controller = new AbortController();
    const listening = token.onCancellationRequested(() => controller.abort());
    running++;
    try {
      const [name, ...others] = args;
      const place = ["-", "--stdin-path", source.name, "--root", root];
      return await runGgsl([name!, ...place, ...others], source.text, controller.signal);
    } finally {
      running--;
      listening.dispose();
    }
  }

  async function resultOf(command: CommandName, target: Target, token: CancellationToken): Promise<Result> {
    if (command === "ggsl.test") {
      const title = `the test on line ${(target.line ?? 0) + 1}`;
      const { stdout, ...end } = await ran(target, ["test", "--line", `${(target.line ?? 0) + 1}`], token);
      // status 1: a test that failed
      if (stdout === "" || end.signal) throw failed(reasonOf(end));
      return { kind: "test", title, isPassed: end.status === 0, text: stdout };
    }
    const { chain = "", stage } = target;
    // after the file comes the chain
    const args = {
      "ggsl.run": ["run", chain],
      "ggsl.graph": ["explain", chain, "--html", "--drawing"],
      "ggsl.explain": ["explain", chain, "--html", ...(stage === undefined ? [] : ["--stage", `${stage}`])],
    }[command];
    const { stdout, ...end } = await ran(target, args, token);
    if (end.status !== 0) throw failed(reasonOf(end));
    if (command === "ggsl.run") return { kind: "text", title: `Text of ${chain}`, text: stdout };
    const title =
      command === "ggsl.graph" ? `Graph of ${chain}` : `${chain}${stage === undefined ? "" : `, stage ${stage}`}`;
    return { kind: "page", title, html: stdout };
  }

  /** The folder of shown files, which is removed when the server ends. */
  function shownFolder(): string {
    if (folder === undefined) {
      const made = (folder = mkdtempSync(join(tmpdir(), "ggsl-")));
      process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    }
    return folder;
  }

  /** A notification: requests with a choice of answers are not known to every client. */
  const say = (type: MessageType, message: string): void =>
    void connection.sendNotification(ShowMessageNotification.type, { type, message });

  /** Shows a result by what every client has. */
  async function show(result: Result): Promise<void> {
    if (result.kind === "test") {
      const message = shortened(`${result.title}: ${result.text.trim()}`);
      return say(result.isPassed ? MessageType.Info : MessageType.Error, message);
    }
    const [extension, content] = result.kind === "page" ? ["html", result.html] : ["txt", result.text];
    const file = join(shownFolder(), `${result.title.replace(/[^\p{L}\d]+/gu, "-")}.${extension}`);
    writeFileSync(file, content);
    const shown =
      client().showsDocuments &&
      (await connection.window.showDocument({
        uri: pathToFileURL(file).href,
        // a page is for a browser
        external: result.kind === "page",
        takeFocus: true,
      }));
    if (shown && shown.success) return;
    say(
      MessageType.Info,
      result.kind === "text" ? shortened(result.text) : `${result.title}: open ${file} in a browser`,
    );
  }

  return async (
    { command, arguments: args }: ExecuteCommandParams,
    token: CancellationToken,
  ): Promise<Result | null> => {
    if (!isCommand(command))
      throw new ResponseError(
        ErrorCodes.InvalidParams,
        `unknown command ${JSON.stringify(command)}; expected one of ${COMMANDS.join(", ")}`,
      );
    const target = targetOf(args);
    try {
      const result = await resultOf(command, target, token);
      if (client().takesResults) return result;
      await show(result);
    } catch (error) {
      if (!(error instanceof ResponseError) || client().takesResults) throw error;
      say(MessageType.Error, shortened(error.message));
    }
    return null;
  };
}

const isCommand = (name: string): name is CommandName => (COMMANDS as readonly string[]).includes(name);

/** Throws `ResponseError` for arguments of another form. */
function targetOf(args: ExecuteCommandParams["arguments"]): Target {
  const [target] = (args ?? []) as unknown[];
  const { uri, chain, stage, line } = (target ?? {}) as Record<string, unknown>;
  const isNumber = (value: unknown): boolean => value === undefined || (Number.isInteger(value) && Number(value) >= 0);
  const isName = chain === undefined || (typeof chain === "string" && isWord(chain));
  if (typeof uri !== "string" || !isName || !isNumber(stage) || !isNumber(line))
    throw new ResponseError(
      ErrorCodes.InvalidParams,
      `a command has one argument, as in {"uri": "file:///a.ggsl", "chain": "c"}; found ${JSON.stringify(args)?.slice(0, 200)}`,
    );
  return target as Target;
}

const failed = (message: string): ResponseError => new ResponseError(LSPErrorCodes.RequestFailed, message);

/** Why a process has no result. */
const reasonOf = ({ stderr, status, signal }: Omit<Ran, "stdout">): string =>
  stderr.trim() || (signal ? `ggsl was ended by ${signal}` : `ggsl ended with status ${status}`);

const shortened = (text: string): string => (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)} …` : text);

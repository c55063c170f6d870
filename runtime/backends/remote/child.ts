/** The process that has a model on workers, as this one sees it. */
import { InputError, type InputErrorCode } from "../../core/errors.js";
import { nodeModule, type ChildProcess } from "../../core/node.js";
import { addonPath } from "../../core/root.js";
import { silent } from "./handshake.js";
import { SCRIPT, type Call, type Message, type Reply } from "./script.js";
import type { Server } from "../devices/servers.js";

interface Waiting {
  readonly resolve: (results: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((fraction: number) => void) | undefined;
}

/** What fails in the child: `code` as in the addon, `call` is the index of the call. */
export class CallError extends Error {
  constructor(
    message: string,
    readonly code: string | undefined,
    readonly call: number,
  ) {
    super(message);
  }
}

/** Bytes of the child's messages that are kept. */
const MOST_TEXT = 4096;

/** What ggml prints before it ends the process because of a worker. */
const LOSS = /RPC|recv|send failed|Failed to connect/;

export class RemoteProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #text = "";
  #id = 0;
  #handle = 0;
  #forgotten: number[] = [];
  #failure: InputError | undefined;
  #isEnding = false;
  /** Resolves with the reason when the process ends without being asked to. */
  readonly lost: Promise<InputError>;

  constructor(private readonly servers: readonly Server[]) {
    const child = nodeModule("node:child_process")!.spawn(process.execPath, ["-e", SCRIPT, addonPath()!], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced",
      // llama.cpp would start a debugger to print where it failed
      env: { ...process.env, GGML_NO_BACKTRACE: "1" },
    });
    this.#child = child;
    // the start is the first answer
    this.#waiting.set(0, { resolve: () => undefined, reject: () => undefined, onProgress: undefined });
    child.stderr!.on("data", (data: Buffer) => (this.#text = (this.#text + String(data)).slice(-MOST_TEXT)));
    child.on("message", (reply) => this.#take(reply as Reply));
    child.on("error", () => undefined); // it ends as well
    this.lost = new Promise((resolve) => {
      child.once("close", (status, signal) => {
        void this.#lostBy(signal ?? `status ${status}`).then((error) => {
          // whoever waits for it knows before those who lose something
          if (!this.#isEnding) resolve(error);
          this.#fail(error);
        });
      });
    });
    this.#hold();
  }

  /** Makes calls in the child. Rejects with `CallError`, or with `InputError` if the child has ended. */
  ask(calls: readonly Call[], onProgress?: (fraction: number) => void): Promise<readonly unknown[]> {
    const id = ++this.#id;
    const forget = this.#forgotten;
    this.#forgotten = [];
    return new Promise<readonly unknown[]>((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#hold();
      const message: Message = { id, calls, ...(forget.length > 0 && { forget }) };
      // a message to a process that ends is answered by its end
      this.#child.send(message, () => undefined);
    });
  }

  /** Makes calls whose results do not matter. */
  tell(calls: readonly Call[]): void {
    this.ask(calls).catch(() => undefined);
  }

  /** A number for an object of the child. */
  handle(): number {
    return ++this.#handle;
  }

  /** The object is let go with the next message. */
  forget(handle: number): void {
    this.#forgotten.push(handle);
  }

  /** Ends the child from outside: ggml's code in it may wait for a worker, and hears nothing. @param reason for those who wait */
  end(reason = new InputError("this model is disposed", { code: "DISPOSED" })): void {
    this.#isEnding = true;
    this.#fail(reason);
    this.#child.kill("SIGKILL");
  }

  /** Throws what ended the child. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  #take({ id, results, error, progress }: Reply): void {
    const waiting = this.#waiting.get(id);
    if (progress !== undefined) return waiting?.onProgress?.(progress);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new CallError(error.message, error.code, error.call));
    else waiting?.resolve(results!);
    this.#hold();
  }

  async #lostBy(reason: string): Promise<InputError> {
    const text = this.#text.trim().split("\n").at(-1) ?? "";
    const isLoss = LOSS.test(this.#text);
    const gone = isLoss && !this.#isEnding ? await silent(this.servers) : [];
    const code: InputErrorCode = isLoss ? "LOST_SERVER" : "ENGINE_FAILED";
    const which = (gone.length > 0 ? gone : this.servers).map(({ endpoint }) => endpoint).join(", ");
    const what = isLoss
      ? gone.length > 0
        ? `the worker at ${which} was lost`
        : `a worker was lost, one of ${which}`
      : `the process of the model ended (${reason}${text && `: ${text}`})`;
    return new InputError(`${what}: load the model again once all workers run`, { code });
  }

  #fail(error: InputError): void {
    this.#failure ??= error;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(this.#failure);
    this.#hold();
  }

  /** The child keeps this process alive only while it has something to answer. */
  #hold(): void {
    const method = this.#waiting.size > 0 && !this.#failure ? "ref" : "unref";
    this.#child[method]();
    this.#child.channel?.[method]();
    (this.#child.stderr as unknown as { ref(): void; unref(): void })[method]();
  }
}

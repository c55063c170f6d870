/** The process that has a model on workers, as this one sees it. */
import { InputError, type InputErrorCode } from "../../core/errors.js";
import { nodeModule, type ChildProcess } from "../../core/node.js";
import { Requests, type Port } from "../../core/requests.js";
import { addonPath, remotePath } from "../../core/root.js";
import { silent } from "./handshake.js";
import type { Call, CallsRequest } from "./protocol.js";
import type { Server } from "../devices/servers.js";

/** The index of the call that failed in the child; undefined for an error that no call caused. */
export const failedCall = (error: unknown): number | undefined =>
  error instanceof Error ? (error as { readonly call?: number }).call : undefined;

/** Bytes of the child's messages that are kept. */
const MOST_TEXT = 4096;

/** What ggml prints before it ends the process because of a worker. */
const LOSS = /RPC|recv|send failed|Failed to connect/;

export class RemoteProcess {
  readonly #child: ChildProcess;
  readonly #requests: Requests<CallsRequest, readonly unknown[], number>;
  #text = "";
  #handle = 0;
  #forgotten: number[] = [];
  #failure: InputError | undefined;
  #isEnding = false;
  /** Resolves with the reason when the process ends without being asked to. */
  readonly lost: Promise<InputError>;

  constructor(private readonly servers: readonly Server[]) {
    const child = nodeModule("node:child_process")!.spawn(process.execPath, [remotePath(), addonPath()!], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced",
      // llama.cpp would start a debugger to print where it failed
      env: { ...process.env, GGML_NO_BACKTRACE: "1" },
    });
    this.#child = child;
    child.stderr!.on("data", (data: Buffer) => (this.#text = (this.#text + String(data)).slice(-MOST_TEXT)));
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
    this.#requests = new Requests(portOf(child));
  }

  /** Makes calls in the child. Rejects with the error of one (`failedCall`), or with `InputError` if the child has ended. */
  ask(calls: readonly Call[], onProgress?: (fraction: number) => void): Promise<readonly unknown[]> {
    const forget = this.#forgotten;
    this.#forgotten = [];
    return this.#requests.ask({ calls, ...(forget.length > 0 && { forget }) }, { onNote: onProgress });
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
    this.#requests.fail(this.#failure);
  }
}

/** The child keeps this process alive only while it has something to answer. */
const portOf = (child: ChildProcess): Port => ({
  // a message to a process that ends is answered by its end
  post: (message) => void child.send(message, () => undefined),
  listen: (receive) => void child.on("message", receive),
  hold(isNeeded) {
    const method = isNeeded ? "ref" : "unref";
    child[method]();
    child.channel?.[method]();
    (child.stderr as unknown as { ref(): void; unref(): void })[method]();
  },
});

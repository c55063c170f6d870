/** A thread that answers one request at a time. */
import type { EngineOptions } from "../xgrammar/engine.js";
import type { ThreadReply, ThreadRequest } from "./protocol.js";
import { deadline, isOutOfHeap, OUT_OF_HEAP, startThread, whenEnded, type Started, type threadsHere } from "./start.js";

/** The thread has ended while it worked on a request: it took too long, too much memory, failed, or nothing waits for it any more. */
export interface Ended {
  readonly type: "ended";
  readonly why: "time" | "memory" | "fault" | "left";
  readonly message: string;
  /** The error that ended it, if it failed. */
  readonly cause?: Error;
}

export class Thread {
  private readonly started: Started;
  private resolve: ((reply: ThreadReply | Ended) => void) | undefined;
  private cancel = (): void => undefined;
  private ended: Ended | undefined;

  constructor(threads: NonNullable<ReturnType<typeof threadsHere>>, engine: EngineOptions, heapMegabytes: number) {
    this.started = startThread(threads, engine, heapMegabytes);
    this.started.port.on("message", ({ reply }: { readonly reply: ThreadReply }) => this.settle(reply));
    this.started.port.unref();
    whenEnded(this.started, (error) => {
      const [why, message] = isOutOfHeap(error)
        ? (["memory", OUT_OF_HEAP] as const)
        : (["fault", error.message] as const);
      this.end({ type: "ended", why, message, cause: error });
    });
  }

  /** It takes no more requests. */
  get isOver(): boolean {
    return this.ended !== undefined;
  }

  /** It ends if there is no answer after a time. */
  ask(request: ThreadRequest, milliseconds: number): Promise<ThreadReply | Ended> {
    if (this.ended) return Promise.resolve(this.ended);
    return new Promise((resolve) => {
      this.resolve = resolve;
      const message = `it takes more than ${milliseconds} ms to prepare`;
      this.cancel = deadline(milliseconds, () => this.end({ type: "ended", why: "time", message }));
      this.started.port.ref();
      this.started.port.postMessage({ id: 0, request });
    });
  }

  end(ended: Ended): void {
    if (this.ended) return;
    this.ended = ended;
    this.settle(ended);
    this.started.port.close();
    void this.started.worker.terminate();
  }

  private settle(reply: ThreadReply | Ended): void {
    this.cancel();
    if (!this.ended) this.started.port.unref();
    const { resolve } = this;
    this.resolve = undefined;
    resolve?.(reply);
  }
}

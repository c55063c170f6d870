/** Server-sent events of one answer. A reader that is slow holds up only its own texts. */
import type { ServerResponse } from "node:http";
import { guarded } from "../guarded.js";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  // proxies must not collect events
  "x-accel-buffering": "no",
} as const;

export class EventStream {
  private drained: Promise<void> | undefined;

  /**
   * @param open called before the first event; gives further headers
   * @param patience milliseconds that a reader may take nothing before it counts as gone
   */
  constructor(
    private readonly response: ServerResponse,
    private readonly open: () => Readonly<Record<string, string>>,
    private readonly patience: number,
  ) {}

  get isOpen(): boolean {
    return this.response.headersSent;
  }

  /** Sends an event; a promise if its reader is behind, which resolves when it has caught up, or has gone. */
  send(data: object | string): Promise<void> | undefined {
    const { response } = this;
    if (!response.headersSent) response.writeHead(200, { ...HEADERS, ...this.open() });
    if (response.destroyed) return undefined;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    if (response.write(`data: ${text}\n\n`)) return undefined;
    return (this.drained ??= this.drain());
  }

  end(): void {
    void this.send("[DONE]");
    this.response.end();
  }

  /** Ends a stream that has begun with an error. */
  fail(body: object): void {
    void this.send(body);
    this.response.end();
  }

  private drain(): Promise<void> {
    const { response, patience } = this;
    return new Promise((resolve) => {
      const done = guarded("drain", () => {
        clearTimeout(timer);
        response.off("drain", done).off("close", done);
        this.drained = undefined;
        resolve();
      });
      const timer = setTimeout(
        guarded("patience", () => response.destroy()),
        patience,
      );
      response.on("drain", done).on("close", done);
    });
  }
}

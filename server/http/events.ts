/** One answer as a stream: server-sent events, or lines of JSON. A reader that is slow holds up only its own texts. */
import type { ServerResponse } from "node:http";
import { guarded } from "../guarded.js";

export interface StreamEvent {
  /** Of a server-sent event. */
  readonly name?: string;
  readonly data: object | string;
}

/** How events are written. */
export interface StreamForm {
  readonly type: string;
  readonly text: (event: StreamEvent) => string;
  /** What says that an answer still comes, and is no part of it; absent for a form that has no such thing. */
  readonly ping?: string;
}

const dataOf = ({ data }: StreamEvent): string => (typeof data === "string" ? data : JSON.stringify(data));

export const SERVER_SENT: StreamForm = {
  type: "text/event-stream; charset=utf-8",
  text: (event) => `${event.name === undefined ? "" : `event: ${event.name}\n`}data: ${dataOf(event)}\n\n`,
  // a comment
  ping: ": ping\n\n",
};
export const JSON_LINES: StreamForm = {
  type: "application/x-ndjson",
  text: (event) => `${dataOf(event)}\n`,
};

const HEADERS = {
  "cache-control": "no-cache",
  // proxies must not collect events
  "x-accel-buffering": "no",
} as const;

interface StreamOptions {
  readonly form: StreamForm;
  /** Called before the first event; gives further headers. */
  readonly open: () => Readonly<Record<string, string>>;
  /** Milliseconds that a reader may take nothing before it counts as gone. */
  readonly patience: number;
}

export class EventStream {
  private drained: Promise<void> | undefined;
  private pings: NodeJS.Timeout | undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly options: StreamOptions,
  ) {}

  get isOpen(): boolean {
    return this.response.headersSent;
  }

  /** Sends an event; a promise if its reader is behind, which resolves when it has caught up, or has gone. */
  send(event: StreamEvent): Promise<void> | undefined {
    if (this.write(this.options.form.text(event))) return undefined;
    return (this.drained ??= this.drain());
  }

  /**
   * From now on a ping is sent whenever nothing else was for so many milliseconds: proxies and clients give up what is silent. The first
   * one opens the stream.
   */
  keepAlive(milliseconds: number): void {
    const { ping } = this.options.form;
    if (ping === undefined) return;
    const send = guarded("ping", () => {
      // one that is behind has something to read
      if (!this.response.writableNeedDrain) this.write(ping);
    });
    this.pings = setInterval(send, milliseconds);
    this.response.once(
      "close",
      guarded("close", () => clearInterval(this.pings)),
    );
  }

  /** No more pings. */
  rest(): void {
    clearInterval(this.pings);
  }

  /** False if the reader is behind. */
  private write(text: string): boolean {
    const { response } = this;
    const { form, open } = this.options;
    if (!response.headersSent) response.writeHead(200, { "content-type": form.type, ...HEADERS, ...open() });
    this.pings?.refresh();
    return response.destroyed || response.write(text);
  }

  /** Sends events in turn. */
  sendAll(events: readonly StreamEvent[]): Promise<void> | undefined {
    let last: Promise<void> | undefined;
    for (const event of events) last = this.send(event);
    return last;
  }

  /** Sends the last events. */
  end(events: readonly StreamEvent[]): void {
    this.rest();
    void this.sendAll(events);
    this.response.end();
  }

  private drain(): Promise<void> {
    const { response } = this;
    return new Promise((resolve) => {
      const done = guarded("drain", () => {
        clearTimeout(timer);
        response.off("drain", done).off("close", done);
        this.drained = undefined;
        resolve();
      });
      const timer = setTimeout(
        guarded("patience", () => response.destroy()),
        this.options.patience,
      );
      response.on("drain", done).on("close", done);
    });
  }
}

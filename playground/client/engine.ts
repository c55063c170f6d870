/**
 * The page's side of its worker. It sends one request at a time; of the waiting ones, the latest of each kind replaces the
 * others. A request that takes too long ends the worker, because programs are untrusted; the next request starts a new one.
 */
import { READY, type Answer, type Kind, type Question, type Requests } from "../engine/messages.js";

/** A message for the author of the program, not a fault of the page. */
export class EngineError extends Error {
  override readonly name = "EngineError";
}

/** A newer request of the same kind took its place. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** Time limits of requests in milliseconds, without the loading of the worker. */
const LIMITS: Readonly<Record<Kind, number>> = {
  language: 10_000,
  check: 4000,
  stages: 4000,
  walk: 6000,
  graph: 6000,
  spec: 4000,
  hover: 4000,
  signature: 4000,
  preview: 4000,
};

const DOING: Readonly<Record<Kind, string>> = {
  language: "Reading the tables of the language",
  check: "Compiling",
  stages: "Computing the distribution",
  walk: "Following the states",
  graph: "Compiling the graphs",
  spec: "Compiling the chain for the model",
  hover: "Reading the program",
  signature: "Reading the program",
  preview: "Drawing the examples",
};

/** Kinds whose requests do not replace each other, because each has a reader of its own. */
const ALL_COUNT: ReadonlySet<Kind> = new Set(["spec", "preview"]);

interface Waiting {
  readonly question: Question;
  readonly resolve: (reply: never) => void;
  readonly reject: (error: Error) => void;
}

export interface Engine {
  ask<K extends Kind>(kind: K, request: Requests[K]["request"]): Promise<Requests[K]["reply"]>;
}

/** `onBusy` gets the present task, or undefined when idle. */
export function startEngine(start: () => Worker, onBusy: (doing: string | undefined) => void): Engine {
  let worker: Worker | undefined;
  let isReady = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let current: Waiting | undefined;
  let waiting: Waiting[] = [];
  let nextId = 0;

  const settle = (act: (done: Waiting) => void): void => {
    clearTimeout(timer);
    const done = current;
    current = undefined;
    onBusy(undefined);
    if (done) act(done);
    send();
  };

  const stop = (message: string): void => {
    worker?.terminate();
    worker = undefined;
    isReady = false;
    settle(({ reject }) => reject(new EngineError(message)));
  };

  const receive = ({ data }: MessageEvent<Answer | typeof READY>): void => {
    if (data === READY) {
      isReady = true;
      return send();
    }
    if (data.id !== current?.question.id) return;
    settle(({ resolve, reject }) => {
      if ("reply" in data) resolve(data.reply as never);
      else reject(data.isInput ? new EngineError(data.error) : new Error(data.error));
    });
  };

  const send = (): void => {
    if (current || waiting.length === 0) return;
    if (!worker) {
      worker = start();
      worker.onmessage = receive;
      worker.onerror = (event) => {
        event.preventDefault();
        // the worker is dead, so all waiting requests fail
        const lost = waiting;
        waiting = [];
        const message = `The page's worker does not run: ${event.message || "it could not be loaded"}. Reload the page.`;
        lost.forEach(({ reject }) => reject(new EngineError(message)));
        stop(message);
      };
    }
    if (!isReady) return;
    current = waiting.shift()!;
    const { kind } = current.question;
    const limit = LIMITS[kind];
    onBusy(DOING[kind]);
    timer = setTimeout(
      () => stop(`${DOING[kind]} took longer than ${limit / 1000} s and was stopped: make the program smaller.`),
      limit,
    );
    try {
      worker.postMessage(current.question);
    } catch (error) {
      // a value that cannot be copied: a fault of the page, after which the next request has its turn
      settle(({ reject }) => reject(error as Error));
    }
  };

  return {
    ask: (kind, request) =>
      new Promise((resolve, reject) => {
        waiting = waiting.filter(({ question, reject: drop }) => {
          const isReplaced = question.kind === kind && !ALL_COUNT.has(kind);
          if (isReplaced) drop(new Superseded());
          return !isReplaced;
        });
        waiting.push({ question: { id: nextId++, kind, request }, resolve, reject });
        send();
      }),
  };
}

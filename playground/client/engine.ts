/**
 * The page's side of its worker. It sends one request at a time; of the waiting ones, the latest of each kind replaces the
 * others. A request that takes too long ends the worker, because programs are untrusted; the next request starts a new one.
 */
import { Requests, webPort, type WebPort } from "ggsl/core/requests.js";
import type { Kind, Question, Reply, Requests as Asked } from "../engine/messages.js";

/** A message for the author of the program, not a fault of the page. */
export class EngineError extends Error {
  override readonly name = "EngineError";
}

/** A newer request of the same kind took its place. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/**
 * Time limits of requests in milliseconds, without the loading of the worker. A program is refused by the compiler's own limits, which
 * take a second or two; these are for what has none, on a machine that is several times slower.
 */
const LIMITS: Readonly<Record<Kind, number>> = {
  language: 10_000,
  check: 10_000,
  stages: 10_000,
  walk: 15_000,
  graph: 15_000,
  spec: 10_000,
  hover: 10_000,
  signature: 10_000,
  preview: 10_000,
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
  ask<K extends Kind>(kind: K, request: Asked[K]["request"]): Promise<Asked[K]["reply"]>;
}

interface OpenWorker {
  readonly worker: Worker;
  readonly requests: Requests<Question, Reply>;
}

/** Begins the worker. `onBusy` gets the present task, or undefined when idle. */
export function startEngine(start: () => Worker, onBusy: (doing: string | undefined) => void): Engine {
  let open: OpenWorker | undefined;
  let isBusy = false;
  let waiting: Waiting[] = [];

  const stop = (error: EngineError): void => {
    open?.worker.terminate();
    const { requests } = open ?? {};
    open = undefined;
    requests?.fail(error);
  };

  const openWorker = (): OpenWorker => {
    const worker = start();
    worker.onerror = (event) => {
      event.preventDefault();
      // the worker is dead, so all waiting requests fail
      const lost = waiting;
      waiting = [];
      const message = `The page's worker does not run: ${event.message || "it could not be loaded"}. Reload the page.`;
      lost.forEach(({ reject }) => reject(new EngineError(message)));
      stop(new EngineError(message));
    };
    return { worker, requests: new Requests<Question, Reply>(webPort(worker as unknown as WebPort), send) };
  };

  const send = (): void => {
    if (isBusy || waiting.length === 0) return;
    const { requests } = (open ??= openWorker());
    if (requests.isStarted) void answer(waiting.shift()!, requests);
  };

  const answer = async ({ question, resolve, reject }: Waiting, requests: OpenWorker["requests"]): Promise<void> => {
    const { kind } = question;
    const limit = LIMITS[kind];
    const message = `${DOING[kind]} took longer than ${limit / 1000} s and was stopped: make the program smaller.`;
    isBusy = true;
    onBusy(DOING[kind]);
    const timer = setTimeout(() => stop(new EngineError(message)), limit);
    try {
      resolve((await requests.ask(question)) as never);
    } catch (error) {
      reject(errorOf(error as Error));
    } finally {
      clearTimeout(timer);
      isBusy = false;
      onBusy(undefined);
      send();
    }
  };

  open = openWorker();
  return {
    ask: (kind, request) =>
      new Promise((resolve, reject) => {
        waiting = waiting.filter(({ question, reject: drop }) => {
          const isReplaced = question.kind === kind && !ALL_COUNT.has(kind);
          if (isReplaced) drop(new Superseded());
          return !isReplaced;
        });
        waiting.push({ question: { kind, request }, resolve, reject });
        send();
      }),
  };
}

/** Errors with a code are in the program; others are faults of the page. */
const errorOf = (error: Error & { readonly code?: unknown }): Error =>
  error instanceof EngineError || error.code === undefined ? error : new EngineError(error.message);

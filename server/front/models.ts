/**
 * The models of a front: each is loaded when a request asks for it, in a process of its own, and the one that was used least recently
 * makes place for another when it is idle. Requests wait in the order in which they came; who asks for a model that is loaded passes
 * those that wait for a load, unless one of them waits until a model is idle.
 */
import { onAbort } from "ggsl/core/aborts.js";
import { abortError } from "ggsl/core/errors.js";
import type { Log } from "../log.js";
import { Refusal, shuttingDown } from "../refusal.js";
import type { ModelProcess } from "./process.js";
import type { ModelFacts } from "./protocol.js";

interface ModelsOptions {
  readonly names: readonly string[];
  /** The most that are loaded at once. */
  readonly most: number;
  /** Requests that wait; more are refused. */
  readonly waiting: number;
  readonly start: (name: string) => Promise<ModelProcess>;
  readonly log: Log;
}

/** A model for one request. */
interface Lease extends Disposable {
  readonly process: ModelProcess;
}

/** What is told of a model. */
interface ModelState {
  readonly name: string;
  readonly state: "unloaded" | "loading" | "loaded" | "unloading" | "failed";
  /** Requests that it answers. */
  readonly running: number;
}

interface Model {
  readonly name: string;
  process: ModelProcess | undefined;
  /** Once it was loaded. */
  facts: ModelFacts | undefined;
  loading: Promise<ModelProcess> | undefined;
  isUnloading: boolean;
  running: number;
  /** When it was asked for last. */
  used: number;
  /** Times in a row that its process ended by itself, or was not ready. */
  failures: number;
  /** Until then it is not tried again. */
  retryAt: number;
  loadedAt: number;
}

interface Waiting {
  readonly model: Model;
  readonly take: () => void;
  readonly refuse: (reason: Error) => void;
}

/** Milliseconds before a model is loaded again; doubled after each time that it fails. */
const WAIT = { first: 1000, most: 60_000 } as const;
/** A process that lived longer has not failed before. */
const LIVED = 60_000;
/** Seconds after which a client tries again. */
const AFTER_FULL = 5;
const AFTER_END = 10;

export class Models {
  readonly #models: ReadonlyMap<string, Model>;
  readonly #options: ModelsOptions;
  readonly #waiting: Waiting[] = [];
  #isOpen = true;

  constructor(options: ModelsOptions) {
    this.#options = options;
    this.#models = new Map(options.names.map((name) => [name, unloaded(name)]));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Requests that wait for a model. */
  get waiting(): number {
    return this.#waiting.length;
  }

  get states(): readonly ModelState[] {
    return [...this.#models.values()].map((model) => ({
      name: model.name,
      state: stateOf(model),
      running: model.running,
    }));
  }

  get names(): readonly string[] {
    return [...this.#models.keys()];
  }

  stateOf(name: string): ModelState["state"] {
    return stateOf(this.#models.get(name)!);
  }

  /** What a model is, once it was loaded. */
  factsOf(name: string): ModelFacts | undefined {
    return this.#models.get(name)!.facts;
  }

  /** The process of a model, loaded now if need be. Throws a `Refusal`, or the reason of the signal. */
  async use(name: string, signal: AbortSignal): Promise<Lease> {
    const model = this.#models.get(name)!;
    if (!this.#isOpen) throw ending();
    if (signal.aborted) throw abortError(signal);
    if (this.waiting >= this.#options.waiting)
      throw new Refusal("queue_full", `${this.waiting} requests wait for a model: try again in ${AFTER_FULL} s`, {
        retryAfter: AFTER_FULL,
      });
    await this.#place(model, signal);
    const process = await (model.loading?.catch(() => undefined) ?? model.process);
    if (process) return this.#lease(model, process);
    this.#release(model);
    throw unavailable(model);
  }

  /** Refuses what waits, and ends all processes. */
  async close(grace: number): Promise<void> {
    this.#isOpen = false;
    for (const { refuse } of this.#waiting.splice(0)) refuse(ending());
    await Promise.all(
      [...this.#models.values()].map(async (model) => {
        await model.loading?.catch(() => undefined);
        await model.process?.end(grace);
      }),
    );
  }

  /** Waits until the model is loaded or is being loaded; the request counts as running then. */
  #place(model: Model, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = onAbort(signal, () => {
        const at = this.#waiting.indexOf(waiting);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        // the reason of a signal is anything
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        reject(abortError(signal));
        this.#serve();
      });
      const waiting: Waiting = {
        model,
        take() {
          forget();
          model.running++;
          resolve();
        },
        refuse(reason) {
          forget();
          reject(reason);
        },
      };
      this.#waiting.push(waiting);
      this.#serve();
    });
  }

  #lease(model: Model, process: ModelProcess): Lease {
    let isHeld = true;
    return {
      process,
      [Symbol.dispose]: () => {
        if (isHeld) this.#release(model);
        isHeld = false;
      },
    };
  }

  #release(model: Model): void {
    model.running--;
    this.#serve();
  }

  #serve(): void {
    let coming = [...this.#models.values()].filter(({ isUnloading }) => isUnloading).length;
    let isHeldUp = false;
    for (const waiting of [...this.#waiting]) {
      const { model } = waiting;
      const leave = (): void => void this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      if (isReady(model)) {
        if (isHeldUp) continue;
        leave();
        model.used = performance.now();
        waiting.take();
      } else if (model.retryAt > performance.now()) {
        leave();
        waiting.refuse(unavailable(model));
      } else if (model.isUnloading || isHeldUp) continue;
      else if (this.#occupied < this.#options.most) {
        leave();
        this.#load(model);
        waiting.take();
      } else if (coming > 0) coming--;
      else if (!this.#unloadOne()) isHeldUp = true;
    }
  }

  get #occupied(): number {
    return [...this.#models.values()].filter((model) => isReady(model) || model.isUnloading).length;
  }

  #load(model: Model): void {
    const { start, log } = this.#options;
    model.used = performance.now();
    const since = performance.now();
    const loading = start(model.name);
    model.loading = loading;
    loading.then(
      (process) => {
        model.loading = undefined;
        model.process = process;
        model.facts = process.facts;
        model.loadedAt = performance.now();
        log.info(
          { model: model.name, pid: process.pid, ms: Math.round(performance.now() - since) },
          "a model is loaded",
        );
        void process.over.then((reason) => this.#ended(model, reason));
      },
      (error: unknown) => {
        model.loading = undefined;
        this.#failed(model, (error as Error).message, "a model cannot be loaded");
      },
    );
  }

  #ended(model: Model, reason: string): void {
    model.process = undefined;
    const wasAsked = model.isUnloading || !this.#isOpen;
    model.isUnloading = false;
    if (wasAsked) return this.#serve();
    if (performance.now() - model.loadedAt > LIVED) model.failures = 0;
    this.#failed(model, reason, "the process of a model ended");
  }

  #failed(model: Model, reason: string, message: string): void {
    const wait = Math.min(WAIT.first * 2 ** model.failures++, WAIT.most);
    model.retryAt = performance.now() + wait;
    this.#options.log.error({ model: model.name, reason, retry_ms: wait }, message);
    this.#serve();
  }

  /** False if no model is idle. */
  #unloadOne(): boolean {
    const idle = [...this.#models.values()].filter(
      (model) => model.process && model.running === 0 && !model.isUnloading && !this.#isWanted(model),
    );
    const [oldest] = idle.toSorted((a, b) => a.used - b.used);
    if (!oldest) return false;
    oldest.isUnloading = true;
    this.#options.log.info({ model: oldest.name }, "a model is unloaded: another one is asked for");
    void oldest.process!.end(0);
    return true;
  }

  /** Whether a request that came before others waits for it. */
  #isWanted(model: Model): boolean {
    const [first] = this.#waiting;
    return first?.model === model;
  }
}

const unloaded = (name: string): Model => ({
  name,
  process: undefined,
  facts: undefined,
  loading: undefined,
  isUnloading: false,
  running: 0,
  used: 0,
  failures: 0,
  retryAt: 0,
  loadedAt: 0,
});

const isReady = ({ process, loading, isUnloading }: Model): boolean =>
  loading !== undefined || (process !== undefined && !isUnloading);

function stateOf({ process, loading, isUnloading, retryAt }: Model): ModelState["state"] {
  if (isUnloading) return "unloading";
  if (loading) return "loading";
  if (process) return "loaded";
  return retryAt > performance.now() ? "failed" : "unloaded";
}

const ending = (): Refusal => shuttingDown(AFTER_END);

/** The server's log has the reason. */
function unavailable({ name, retryAt }: Model): Refusal {
  const retryAfter = Math.max(1, Math.ceil((retryAt - performance.now()) / 1000));
  return new Refusal(
    "model_unavailable",
    `the model \`${name}\` cannot be loaded, or its process has ended: it is tried again in ${retryAfter} s`,
    { param: "model", retryAfter },
  );
}

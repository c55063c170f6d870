/** Asks the engine: in a worker thread where there are threads that can wait for another (Node.js), else in this thread. */
import { InputError } from "../../errors.js";
import { nodeModule } from "../../node.js";
import { grammarWorkerPath } from "../../root.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import { Engine, type EngineReply, type EngineRequest } from "./engine.js";

export interface Client {
  /** To be awaited before `askNow`; undefined if that can be called. */
  ready(): Promise<void> | undefined;
  ask(request: EngineRequest): Promise<EngineReply>;
  /** As `ask`; the answer itself if it comes at once. */
  askSoon(request: EngineRequest): EngineReply | Promise<EngineReply>;
  /** Blocks this thread until there is an answer. */
  askNow(request: EngineRequest): EngineReply;
  /** Sends a request whose answer does not matter, unless the engine is not running. */
  forget(request: EngineRequest): void;
  /** Whether requests are answered in another thread. */
  readonly isElsewhere: boolean;
}

let shared: Client | undefined;

/** One for this thread, started on first use. */
export const sharedClient = (): Client =>
  (shared ??= nodeModule("node:worker_threads") ? new WorkerClient() : new LocalClient());

/** For requests that were waiting when the thread was ended because of another. */
const LOST: EngineReply = { type: "gone", what: "matcher" };

/** How long a request may take. */
export type ClientLimits = Readonly<Record<"prepareMilliseconds" | "stepMilliseconds", number>>;

interface Waiting {
  readonly request: EngineRequest;
  readonly resolve: (reply: EngineReply) => void;
  readonly reject: (error: Error) => void;
}

type Threads = NonNullable<ReturnType<typeof nodeModule<"node:worker_threads">>>;

/** The thread and its port. */
interface Thread {
  readonly worker: InstanceType<Threads["Worker"]>;
  readonly port: InstanceType<Threads["MessagePort"]>;
  readonly counter: Int32Array;
}

interface Answer {
  readonly id: number;
  readonly reply: EngineReply;
}

/**
 * How long this thread waits for a token's mask before it does something else: most masks take less, and a turn of the event loop
 * takes longer than they do.
 */
const WAIT_MILLISECONDS = 0.5;
/** After a mask that took longer, so many are not waited for. */
const MASKS_WITHOUT_WAIT = 16;

/** Starting the thread is not part of a request's time. */
const START_MILLISECONDS = 20_000;

export class WorkerClient implements Client {
  readonly isElsewhere = true;
  private readonly threads = nodeModule("node:worker_threads")!;
  private thread: Thread | undefined;
  private next = 0;
  /** In the order in which they are answered. */
  private readonly waiting = new Map<number, Waiting>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStarted = false;
  /** How many masks are not waited for. */
  private withoutWait = 0;

  constructor(private readonly limits: ClientLimits = GRAMMAR_LIMITS) {}

  ready(): undefined {
    return undefined;
  }

  ask(request: EngineRequest): Promise<EngineReply> {
    return new Promise((resolve, reject) => {
      this.send(request, { request, resolve, reject });
      if (this.waiting.size === 1) this.watch();
    });
  }

  askSoon(request: EngineRequest): EngineReply | Promise<EngineReply> {
    const { thread } = this;
    const isAlone = thread && this.isStarted && this.waiting.size === 0;
    if (request.type !== "move" || !isAlone || this.withoutWait > 0) {
      this.withoutWait = Math.max(this.withoutWait - 1, 0);
      return this.ask(request);
    }
    let answer: EngineReply | undefined;
    const later = new Promise<EngineReply>((resolve, reject) => {
      this.send(request, { request, resolve: (reply) => resolve((answer = reply)), reject });
    });
    const end = performance.now() + WAIT_MILLISECONDS;
    while (this.waiting.size > 0) {
      const seen = Atomics.load(thread.counter, 0);
      const message: { message: Answer } | undefined = this.threads.receiveMessageOnPort(thread.port);
      const left = end - performance.now();
      if (message) this.receive(message.message);
      else if (left > 0) Atomics.wait(thread.counter, 0, seen, left);
      else {
        this.withoutWait = MASKS_WITHOUT_WAIT;
        this.watch();
        break;
      }
    }
    return answer ?? later;
  }

  askNow(request: EngineRequest): EngineReply {
    let answer: EngineReply | Error | undefined;
    const { port, counter } = this.send(request, {
      request,
      resolve: (reply) => (answer = reply),
      reject: (error) => (answer = error),
    });
    while (answer === undefined) {
      const seen = Atomics.load(counter, 0);
      const message: { message: Answer } | undefined = this.threads.receiveMessageOnPort(port);
      if (message) this.receive(message.message);
      else if (Atomics.wait(counter, 0, seen, this.limit()) === "timed-out") this.stop();
    }
    if (answer instanceof Error) throw answer;
    return answer;
  }

  forget(request: EngineRequest): void {
    if (this.thread) this.ask(request).catch(() => undefined);
  }

  private send(request: EngineRequest, waiting: Waiting): Thread {
    const thread = (this.thread ??= this.start());
    const id = ++this.next;
    this.waiting.set(id, waiting);
    thread.port.postMessage({ id, request });
    thread.port.ref();
    return thread;
  }

  private start(): Thread {
    const { Worker, MessageChannel } = this.threads;
    const { port1: port, port2 } = new MessageChannel();
    const counter = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(grammarWorkerPath(), {
      workerData: { port: port2, counter },
      transferList: [port2],
      // it needs none of the loaders of this process
      ...{ execArgv: [], env: {}, stdin: false },
    });
    const thread = { worker, port, counter };
    worker.unref();
    port.on("message", (answer: Answer) => this.receive(answer));
    port.unref();
    worker.on("error", (error) => this.fail(thread, error));
    this.isStarted = false;
    return thread;
  }

  private receive({ id, reply }: Answer): void {
    this.isStarted = true;
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (this.waiting.size === 0) this.thread?.port.unref();
    this.watch();
    waiting?.resolve(reply);
  }

  private limitOf({ type }: EngineRequest): number {
    return type === "open" ? this.limits.prepareMilliseconds : this.limits.stepMilliseconds;
  }

  /** The time of the request that is answered now. */
  private limit(): number {
    const [first] = this.waiting.values();
    return (first ? this.limitOf(first.request) : 0) + (this.isStarted ? 0 : START_MILLISECONDS);
  }

  private tooSlow(request: EngineRequest): EngineReply {
    const what = request.type === "open" ? "to prepare" : "for a token";
    return { type: "failed", kind: "limit", message: `it takes more than ${this.limitOf(request)} ms ${what}` };
  }

  private watch(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.size > 0) this.timer = setTimeout(() => this.stop(), this.limit());
  }

  /** Ends the thread because of the request that it works on. The others ask again. */
  private stop(): void {
    const { thread } = this;
    this.thread = undefined;
    thread?.port.close();
    void thread?.worker.terminate();
    const [first, ...others] = this.waiting.values();
    this.waiting.clear();
    this.watch();
    first?.resolve(this.tooSlow(first.request));
    for (const { resolve } of others) resolve(LOST);
  }

  private fail(thread: Thread, error: Error): void {
    if (this.thread !== thread) return;
    this.thread = undefined;
    const all = [...this.waiting.values()];
    this.waiting.clear();
    this.watch();
    const message = `the thread of the grammars ended: ${error.message}`;
    for (const { reject } of all) reject(new InputError(message, { code: "ENGINE_FAILED", cause: error }));
  }
}

class LocalClient implements Client {
  readonly isElsewhere = false;
  private readonly engine = new Engine();

  ready(): Promise<void> | undefined {
    return this.engine.isLoaded ? undefined : this.engine.load();
  }

  async ask(request: EngineRequest): Promise<EngineReply> {
    await this.engine.load();
    return this.engine.answer(request);
  }

  askSoon(request: EngineRequest): EngineReply | Promise<EngineReply> {
    return this.engine.isLoaded ? this.engine.answer(request) : this.ask(request);
  }

  askNow(request: EngineRequest): EngineReply {
    if (!this.engine.isLoaded)
      throw new InputError("the grammar engine is not loaded yet: call `await loadGrammars()` first", {
        code: "NOT_READY",
      });
    return this.engine.answer(request);
  }

  forget(request: EngineRequest): void {
    if (this.engine.isLoaded) this.engine.answer(request);
  }
}

/**
 * Loads the grammar engine. Browsers need this before an evaluator of a chain with a grammar; models and Node.js load it on
 * demand.
 */
export async function loadGrammars(): Promise<void> {
  await sharedClient().ready();
}

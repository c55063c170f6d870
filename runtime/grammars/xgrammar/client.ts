/** Asks the engine: in a worker thread where there are threads that can wait for another (Node.js), else in this thread. */
import { InputError } from "../../core/errors.js";
import { Turns } from "../../core/turns.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import { nodePort, Requests, type Pending } from "../../core/requests.js";
import {
  deadline,
  isOutOfHeap,
  START_MILLISECONDS,
  startThread,
  threadsHere,
  whenEnded,
  type Started,
} from "../../core/threads.js";
import { grammarThread, OUT_OF_HEAP } from "../threads/start.js";
import { Engine, type EngineOptions, type EngineReply, type EngineRequest } from "./engine.js";

export interface Client {
  /** To be awaited before `askNow`; undefined if that can be called. */
  ready(): Promise<void> | undefined;
  /** @param lane whose it is: lanes take turns where grammars are opened */
  ask(request: EngineRequest, lane?: string): Promise<EngineReply>;
  /** As `ask`; the answer itself if it comes at once. */
  askSoon(request: EngineRequest, lane?: string): EngineReply | Promise<EngineReply>;
  /** Blocks this thread until there is an answer. */
  askNow(request: EngineRequest): EngineReply;
  /** Sends a request whose answer does not matter, unless the engine is not running. */
  forget(request: EngineRequest): void;
  /** Takes a request out that waits for its turn: it fails. */
  withdraw(request: EngineRequest): void;
  /** Whether requests are answered in another thread. */
  readonly isElsewhere: boolean;
}

/** The threads where texts live: with cheap grammars, with others, and with those that their callers wait for. */
export type ThreadKind = "cheap" | "expensive" | "now";

const { prepareMilliseconds, stepMilliseconds, quickStepMilliseconds } = GRAMMAR_LIMITS;
/** A grammar that took a fifth of it before, on a machine that may be busier now. */
const OPEN_CHEAP = 5 * GRAMMAR_LIMITS.cheapMilliseconds;

const LIMITS: Readonly<Record<ThreadKind, ClientLimits>> = {
  cheap: { prepareMilliseconds: OPEN_CHEAP, stepMilliseconds: quickStepMilliseconds },
  expensive: { prepareMilliseconds, stepMilliseconds },
  now: { prepareMilliseconds, stepMilliseconds },
};

const shared = new Map<ThreadKind, Client>();

/** One for this process, started on first use. */
export function sharedClient(place: ThreadKind): Client {
  const known = shared.get(place) ?? (threadsHere() ? new WorkerClient(LIMITS[place], place === "now") : local());
  shared.set(place, known);
  return known;
}

/** What is known to have been prepared need not be read first. */
const engineOptions = (reads: boolean): EngineOptions => ({
  memoryBytes: GRAMMAR_LIMITS.followingBytes,
  reads,
  prepared: GRAMMAR_LIMITS.prepared,
});

/** For requests that were waiting when the thread was ended because of another. */
const LOST: EngineReply = { type: "gone", what: "matcher" };

/** How long a request may take. */
type ClientLimits = Readonly<Record<"prepareMilliseconds" | "stepMilliseconds", number>>;

type Waiting = Pending<EngineRequest, EngineReply>;

/** One that opens a grammar, and waits for its turn. */
interface Queued extends Waiting {
  readonly lane: string;
}

interface OwnThread extends Started {
  readonly requests: Requests<EngineRequest, EngineReply>;
  readonly counter: Int32Array;
  /** Whether it has answered: the first answer takes longer. */
  isWarm: boolean;
}

/**
 * How long this thread waits for a token's mask before it does something else: most masks take less, and a turn of the event loop
 * takes longer than they do.
 */
const WAIT_MILLISECONDS = 0.5;
/** After a mask that took longer, so many are not waited for. */
const MASKS_WITHOUT_WAIT = 16;
/** Tokens that a position may be after the last one for the time of one: a text that is opened again goes through all of its own. */
const TOKENS_OF_A_STEP = 256;

export class WorkerClient implements Client {
  readonly isElsewhere = true;
  private readonly threads = threadsHere()!;
  private thread: OwnThread | undefined;
  /** Grammars to open. One is opened at a time, so that tokens wait for one at most. */
  private readonly opens = new Turns<Queued>();
  private isOpening = false;
  private cancel = (): void => undefined;
  /** How many masks are not waited for. */
  private withoutWait = 0;

  constructor(
    private readonly limits: ClientLimits = GRAMMAR_LIMITS,
    private readonly reads = true,
  ) {}

  ready(): undefined {
    return undefined;
  }

  ask(request: EngineRequest, lane = ""): Promise<EngineReply> {
    return new Promise((resolve, reject) => {
      if (request.type === "open") this.queue({ request, lane, resolve, reject });
      else this.post({ request, resolve, reject });
    });
  }

  askSoon(request: EngineRequest, lane?: string): EngineReply | Promise<EngineReply> {
    const { thread } = this;
    const isAlone = thread?.isWarm && thread.requests.size === 0;
    if (request.type !== "move" || !isAlone || this.withoutWait > 0) {
      this.withoutWait = Math.max(this.withoutWait - 1, 0);
      return this.ask(request, lane);
    }
    let answer: EngineReply | undefined;
    const later = new Promise<EngineReply>((resolve, reject) => {
      this.send({ request, resolve: (reply) => resolve((answer = reply)), reject });
    });
    const end = performance.now() + WAIT_MILLISECONDS;
    while (thread.requests.size > 0) {
      const seen = Atomics.load(thread.counter, 0);
      const left = end - performance.now();
      if (this.receive(thread)) continue;
      if (left > 0) Atomics.wait(thread.counter, 0, seen, left);
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
    const thread = this.send({
      request,
      resolve: (reply) => (answer = reply),
      reject: (error) => (answer = error),
    });
    while (answer === undefined) {
      const seen = Atomics.load(thread.counter, 0);
      if (this.receive(thread)) continue;
      if (Atomics.wait(thread.counter, 0, seen, this.limit()) === "timed-out") this.stop();
    }
    if (answer instanceof Error) throw answer;
    return answer;
  }

  forget(request: EngineRequest): void {
    if (this.thread) this.ask(request).catch(() => undefined);
  }

  withdraw(request: EngineRequest): void {
    const queued = [...this.opens].find((one) => one.request === request);
    if (!queued) return;
    this.opens.remove(queued.lane, queued);
    queued.reject(new InputError("the text of this grammar is over", { code: "ENDED" }));
  }

  private queue(queued: Queued): void {
    this.opens.push(queued.lane, queued);
    this.openNext();
  }

  private openNext(): void {
    if (this.isOpening) return;
    const next = this.opens.next(() => "take");
    if (!next) return;
    this.opens.remove(next.lane, next);
    this.isOpening = true;
    const over = (): void => {
      this.isOpening = false;
      this.openNext();
    };
    this.post({
      request: next.request,
      resolve: (reply) => {
        next.resolve(reply);
        over();
      },
      reject: (error) => {
        next.reject(error);
        over();
      },
    });
  }

  private post(waiting: Waiting): void {
    if (this.send(waiting).requests.size === 1) this.watch();
  }

  private send({ request, resolve, reject }: Waiting): OwnThread {
    const thread = (this.thread ??= this.start());
    const settled =
      <T>(settle: (value: T) => void) =>
      (value: T): void => {
        thread.isWarm = true;
        this.watch();
        settle(value);
      };
    thread.requests.send({ request, resolve: settled(resolve), reject: settled(reject) });
    return thread;
  }

  private start(): OwnThread {
    const counter = new Int32Array(new SharedArrayBuffer(4));
    const started = startThread(grammarThread(engineOptions(this.reads), { counter }));
    const requests = new Requests<EngineRequest, EngineReply>(nodePort(started.port));
    const thread = { ...started, requests, counter, isWarm: false };
    whenEnded(started, (error) => this.fail(thread, error));
    return thread;
  }

  /** Takes a message from the port of the thread; whether there was one. */
  private receive({ port, requests }: OwnThread): boolean {
    const message: { message: unknown } | undefined = this.threads.receiveMessageOnPort(port);
    if (message) requests.receive(message.message);
    return message !== undefined;
  }

  private limitOf(request: EngineRequest): number {
    if (request.type === "open") return this.limits.prepareMilliseconds + (request.texts ? START_MILLISECONDS : 0);
    const tokens = request.type === "move" ? request.tokens.length : 0;
    return this.limits.stepMilliseconds * (1 + Math.floor(tokens / TOKENS_OF_A_STEP));
  }

  /** The time of the request that is answered now. */
  private limit(): number {
    const first = this.thread?.requests.first;
    return (first ? this.limitOf(first) : 0) + (this.thread?.isWarm ? 0 : START_MILLISECONDS);
  }

  private tooSlow({ type }: EngineRequest): EngineReply {
    const { prepareMilliseconds: open, stepMilliseconds: step } = this.limits;
    const what = type === "open" ? `${open} ms to prepare` : `${step} ms for a token`;
    return { type: "failed", kind: "limit", message: `it takes more than ${what}` };
  }

  private watch(): void {
    this.cancel();
    if (this.thread && this.thread.requests.size > 0) this.cancel = deadline(this.limit(), () => this.stop());
  }

  /** Ends the thread because of the request that it works on. */
  private stop(): void {
    const thread = this.thread!;
    this.lose(thread, ({ request, resolve }) => resolve(this.tooSlow(request)));
    thread.port.close();
    void thread.worker.terminate();
  }

  /** The thread has ended because of the request that it worked on. */
  private fail(thread: OwnThread, error: Error): void {
    if (this.thread !== thread) return;
    const message = `the thread of the grammars ended: ${error.message}`;
    const failure = new InputError(message, { code: "ENGINE_FAILED", cause: error });
    const others = this.lose(
      thread,
      ({ resolve, reject }) => {
        if (isOutOfHeap(error)) resolve({ type: "failed", kind: "limit", message: OUT_OF_HEAP });
        else reject(failure);
      },
      thread.requests.isStarted,
    );
    // another one would not start either
    for (const { reject } of others) reject(failure);
  }

  /** There is no thread any more. Those behind the first ask again, if there can be another; the result is those that cannot. */
  private lose({ requests }: OwnThread, first: (waiting: Waiting) => void, isAgain = true): readonly Waiting[] {
    this.thread = undefined;
    const [cause, ...others] = requests.end();
    this.watch();
    if (cause) first(cause);
    if (!isAgain) return [...others, ...this.opens.clear()];
    for (const { resolve } of others) resolve(LOST);
    return [];
  }
}

let here: LocalClient | undefined;
const local = (): Client => (here ??= new LocalClient());

class LocalClient implements Client {
  readonly isElsewhere = false;
  private readonly engine = new Engine(engineOptions(true));

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

  withdraw(): void {
    // nothing waits here
  }
}

/**
 * Loads the grammar engine. Browsers need this before an evaluator of a chain with a grammar; models and Node.js load it on
 * demand.
 */
export async function loadGrammars(): Promise<void> {
  await sharedClient("now").ready();
}

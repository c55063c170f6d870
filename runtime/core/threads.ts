/** Threads of Node.js: how they are started and how they end, and one that answers one request at a time within a limit of time. */
import { InputError, type InputErrorCode } from "./errors.js";
import { nodeModule } from "./node.js";
import { nodePort, Requests } from "./requests.js";

type Threads = NonNullable<ReturnType<typeof nodeModule<"node:worker_threads">>>;

/** Undefined where no thread can wait for another: in browsers. */
export const threadsHere = (): Threads | undefined => nodeModule("node:worker_threads");

/** A file that a thread runs. It gets the port of its requests as `workerData.port`. */
interface ThreadScript {
  readonly file: string | URL;
  /** What else is in `workerData`. */
  readonly data?: object;
  /** Options of Node.js; default: none, also not those of this process. */
  readonly execArgv?: readonly string[];
  readonly heapMegabytes: number;
}

/** A thread and its port. */
export interface Started {
  readonly worker: InstanceType<Threads["Worker"]>;
  readonly port: InstanceType<Threads["MessagePort"]>;
}

/** Loading its code, or a vocabulary, is not part of a request's time. */
const START_MILLISECONDS = 20_000;
/** Megabytes for values that live briefly. */
const YOUNG = 32;

/** It does not keep the process alive. */
function startThread({ file, data, execArgv = [], heapMegabytes }: ThreadScript): Started {
  const { Worker, MessageChannel } = threadsHere()!;
  const { port1: port, port2 } = new MessageChannel();
  const worker = new Worker(file, {
    workerData: { ...data, port: port2 },
    transferList: [port2],
    resourceLimits: {
      maxOldGenerationSizeMb: heapMegabytes,
      maxYoungGenerationSizeMb: YOUNG,
    },
    execArgv: [...execArgv],
    env: {},
    stdin: false,
  });
  worker.unref();
  return { worker, port };
}

/** Calls `end` once when a thread has ended by itself, after `receive` got what it sent before. */
function whenEnded({ worker, port }: Started, receive: (message: unknown) => void, end: (error: Error) => void): void {
  let isOver = false;
  const once = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    // its end can be told before its last messages
    const { receiveMessageOnPort } = threadsHere()!;
    for (let sent; (sent = receiveMessageOnPort(port));) receive(sent.message);
    end(error);
  };
  worker.on("error", once);
  worker.on("exit", (status) => once(new Error(`it ended with status ${status}`)));
}

/** Whether a thread has ended because its heap was full. */
const isOutOfHeap = (error: Error & { readonly code?: unknown }): boolean => error.code === "ERR_WORKER_OUT_OF_MEMORY";

/**
 * A flag of V8 that holds for threads, too: under it, a thread that reaches its limit of memory ends the process. Undefined where it is not
 * given.
 */
export const sharedHeapFlag = (): string | undefined =>
  [...process.execArgv, ...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/)].find((flag) =>
    /^--max[-_]semi[-_]space[-_]size(?:=|$)/.test(flag),
  );

/** How many times its limit a request can take on a machine that has other things to do. */
const MOST_BUSY = 4;

/**
 * Calls `end` after so many milliseconds, and not before this process had a processor as long: a machine that is busy makes no request
 * expensive. The result cancels it.
 */
function deadline(milliseconds: number, end: () => void): () => void {
  const begin = performance.now();
  const before = process.cpuUsage();
  let timer = setTimeout(look, milliseconds);
  function look(): void {
    const { user, system } = process.cpuUsage(before);
    const left = milliseconds - (user + system) / 1000;
    if (left <= 0 || performance.now() - begin >= MOST_BUSY * milliseconds) end();
    else timer = setTimeout(look, left);
  }
  return () => clearTimeout(timer);
}

type Why = "time" | "memory" | "fault" | "left";

const CODES: Readonly<Record<Why, InputErrorCode>> = {
  time: "LIMIT_EXCEEDED",
  memory: "LIMIT_EXCEEDED",
  fault: "ENGINE_FAILED",
  left: "ENDED",
};

/** The thread has ended while it worked on a request: it took too long, too much memory, failed, or nothing waits for it any more. */
export class ThreadEnded extends InputError {
  constructor(
    readonly why: Why,
    message: string,
    cause?: unknown,
  ) {
    super(message, { code: CODES[why], cause });
  }
}

/** A thread that answers one request at a time, each within a time. */
export class Thread<Request, Answer> {
  private readonly started: Started;
  readonly #requests: Requests<Request, Answer>;
  #milliseconds = 0;
  #cancel = (): void => undefined;
  #ended: ThreadEnded | undefined;
  #over: Promise<unknown> | undefined;

  constructor(script: ThreadScript) {
    this.started = startThread(script);
    this.#requests = new Requests(nodePort(this.started.port), () => this.#watch());
    whenEnded(
      this.started,
      (message) => this.#requests.receive(message),
      (error) => void this.end(new ThreadEnded(isOutOfHeap(error) ? "memory" : "fault", error.message, error)),
    );
  }

  /** Why it takes no more requests; undefined if it does. */
  get ended(): ThreadEnded | undefined {
    return this.#ended;
  }

  /** Whether it has come so far that it answers requests. */
  get isStarted(): boolean {
    return this.#requests.isStarted;
  }

  /** Rejects with what the thread throws, and with `ThreadEnded`: the thread ends if there is no answer after a time. */
  async ask(request: Request, milliseconds: number): Promise<Answer> {
    this.#milliseconds = milliseconds;
    const answer = this.#requests.ask(request);
    this.#watch();
    try {
      return await answer;
    } finally {
      this.#cancel();
    }
  }

  /** Resolves once it is gone. */
  async end(ended: ThreadEnded): Promise<void> {
    if (!this.#ended) {
      this.#ended = ended;
      this.#cancel();
      this.#requests.fail(ended);
      this.started.port.close();
      this.#over = this.started.worker.terminate();
    }
    await this.#over;
  }

  /** Its start has a time of its own. */
  #watch(): void {
    this.#cancel();
    if (this.#requests.size === 0) return;
    const limit = this.isStarted ? this.#milliseconds : START_MILLISECONDS;
    this.#cancel = deadline(limit, () => void this.end(new ThreadEnded("time", `it takes more than ${limit} ms`)));
  }
}

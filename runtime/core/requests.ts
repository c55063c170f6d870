/**
 * Requests to a thread or a process, and their answers: both sides of a port. Each request has a number, which its answer repeats; answers
 * may come in any order. Notes come before the answer of their request. When the other side ends, all that waits fails.
 */
import { unlessAborted } from "./aborts.js";
import { abortError, AbortError, InputError, invalid, ModelError } from "./errors.js";
import type { InputErrorCode, ModelErrorCode } from "./errorCodes.js";

/** One end of a connection to another thread or process. */
export interface Port {
  post(message: object, transfer?: readonly ArrayBufferLike[]): void;
  /** Calls `receive` with each message of the other end. */
  listen(receive: (message: unknown) => void): void;
  /** Keeps this process alive from now on, or no longer; absent where a port does neither. */
  hold?(isNeeded: boolean): void;
}

/** An error on its way. */
interface SentError {
  readonly name: string;
  readonly message: string;
  /** Its own members that are texts, numbers or truth values, such as `code`. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** The request 0 is the start of the other side. */
interface RequestMessage<Request> {
  readonly id: number;
  readonly request: Request;
}

type AnswerMessage<Answer, Note> = { readonly id: number } & (
  { readonly answer: Answer } | { readonly note: Note } | { readonly error: SentError }
);

/** Whom an answer is for. */
interface Pending<Request, Answer, Note = never> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly onNote?: ((note: Note) => void) | undefined;
}

interface AskOptions<Note> {
  readonly onNote?: ((note: Note) => void) | undefined;
  /** Nothing waits for the answer any more once it is aborted; the other side is not told. */
  readonly signal?: AbortSignal | undefined;
}

/** The side that asks. */
export class Requests<Request, Answer, Note = never> {
  /** In the order in which they were sent. */
  readonly #pending = new Map<number, Pending<Request, Answer, Note>>();
  #last = 0;
  #failure: Error | undefined;
  #isStarted = false;
  readonly #onStart: () => void;

  /** @param onStart called once, when the other side can answer */
  constructor(
    private readonly port: Port,
    onStart: () => void = () => undefined,
  ) {
    this.#onStart = onStart;
    port.listen((message) => this.receive(message));
    port.hold?.(false);
  }

  /** Requests without an answer. */
  get size(): number {
    return this.#pending.size;
  }

  /** The one that was sent first, of those without an answer. */
  get first(): Request | undefined {
    for (const { request } of this.#pending.values()) return request;
    return undefined;
  }

  /** Whether the other side can answer. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Rejects with what the other side throws, what it failed with, or what aborted the signal. */
  async ask(request: Request, { onNote, signal }: AskOptions<Note> = {}): Promise<Answer> {
    if (signal?.aborted) throw abortError(signal);
    let id = 0;
    const answer = new Promise<Answer>((resolve, reject) => (id = this.send({ request, onNote, resolve, reject })));
    return unlessAborted(answer, signal, () => void this.#settle(id));
  }

  /** As `ask`, for a caller that is called back as soon as the answer is received. The result is the number of the request. */
  send(pending: Pending<Request, Answer, Note>): number {
    const id = ++this.#last;
    if (this.#failure) {
      const failure = this.#failure;
      queueMicrotask(() => pending.reject(failure));
      return id;
    }
    this.#pending.set(id, pending);
    try {
      this.port.post({ id, request: pending.request });
      this.port.hold?.(true);
    } catch (error) {
      // a value that cannot be copied, such as a function
      this.#settle(id);
      const message = `the request cannot be sent: ${(error as Error).message}`;
      const failure = invalid(message, error);
      queueMicrotask(() => pending.reject(failure));
    }
    return id;
  }

  /** A message of the other side, for callers that take it from the port themselves. */
  receive(message: unknown): void {
    const { id, ...given } = message as AnswerMessage<Answer, Note>;
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#onStart();
    }
    if ("note" in given) return this.#pending.get(id)?.onNote?.(given.note);
    const pending = this.#settle(id);
    if ("error" in given) pending?.reject(receivedError(given.error));
    else pending?.resolve(given.answer);
  }

  /** The other side has ended: what waits, and what is asked later, fails with it. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.end()) reject(this.#failure);
  }

  /** What waits, in its order: it is the caller's to answer now. */
  end(): Pending<Request, Answer, Note>[] {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.port.hold?.(false);
    return pending;
  }

  #settle(id: number): Pending<Request, Answer, Note> | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.port.hold?.(false);
    return pending;
  }
}

interface Answering<Answer> {
  /** What is moved with an answer and not copied. */
  readonly transfer?: (answer: Answer) => readonly ArrayBufferLike[];
  /** Errors that are not sent, but thrown: those after which this side must end. */
  readonly isFatal?: (error: unknown) => boolean;
}

/**
 * The side that answers; it has started. Requests are handled as they come: `answer` returns at once, or later. What it throws is sent.
 * @param answer `id` is the number of the request
 */
export function answerRequests<Request, Answer, Note = never>(
  port: Port,
  answer: (request: Request, note: (note: Note) => void, id: number) => Answer | Promise<Answer>,
  { transfer = () => [], isFatal = () => false }: Answering<Answer> = {},
): void {
  const failed = (id: number, error: unknown): void => {
    if (isFatal(error)) throw error;
    port.post({ id, error: sentError(error) });
  };
  const answered = (id: number, value: Answer): void => port.post({ id, answer: value }, transfer(value));
  port.listen((message) => {
    const { id = 0, request } = (message ?? {}) as Partial<RequestMessage<Request>>;
    try {
      const value = answer(request as Request, (note) => port.post({ id, note }), id);
      if (!(value instanceof Promise)) return answered(id, value);
      void value.then((later) => answered(id, later)).catch((error: unknown) => failed(id, error));
    } catch (error) {
      failed(id, error);
    }
  });
  port.post({ id: 0, answer: undefined });
}

function sentError(thrown: unknown): SentError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message } = error;
  const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);
  const members = Object.fromEntries(Object.entries(error).filter(([, value]) => isPlain(value)));
  return { name, message, members };
}

/** An error of this project with its class and code; any other with its name and members. */
function receivedError({ name, message, members }: SentError): Error {
  const { code } = members;
  if (name === "InputError") return new InputError(message, { code: code as InputErrorCode });
  if (name === "ModelError") return new ModelError(code as ModelErrorCode, message);
  if (name === "AbortError") return new AbortError();
  return Object.assign(new Error(message), members, { name });
}

/** The part of a port or a thread of Node.js that is used. */
export interface NodePort {
  postMessage(message: object, transfer: readonly ArrayBuffer[]): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
  ref(): void;
  unref(): void;
}

/** A port of a channel of Node.js. */
export const nodePort = (port: NodePort): Port => ({
  post: (message, transfer = []) => port.postMessage(message, transfer as readonly ArrayBuffer[]),
  listen: (receive) => void port.on("message", receive),
  hold: (isNeeded) => (isNeeded ? port.ref() : port.unref()),
});

/** The used part of a worker of a page, of the page as it sees it, and of a port of a channel. Node.js's types lack the first two. */
export interface WebPort {
  postMessage(message: unknown, transfer?: readonly ArrayBufferLike[]): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
}

/** A worker of a page, and the page as the worker sees it. */
export const webPort = (port: WebPort): Port => ({
  post: (message, transfer = []) => port.postMessage(message, transfer),
  listen: (receive) => void (port.onmessage = ({ data }) => receive(data)),
});

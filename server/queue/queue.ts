/**
 * Admission of requests to the places of the model's context. Requests wait in lanes, one for each key; the lanes take turns, so that
 * a key with many requests does not keep others waiting. A request of `n` texts takes `n` places at once.
 */
import { abortError } from "ggsl/errors.js";
import { guarded } from "../guarded.js";
import type { Metrics } from "../metrics/metrics.js";
import { Refusal } from "../refusal.js";
import { Rate } from "./rate.js";
import { Turns } from "./turns.js";

export interface QueueOptions {
  /** Texts that run at once: the sequences of the context. */
  readonly places: number;
  /** Places only for requests that ask for them. */
  readonly reserved?: readonly number[];
  /** Requests that wait; default 256. */
  readonly waiting?: number;
  readonly metrics?: Metrics | undefined;
  /** Milliseconds; default `performance.now`. */
  readonly now?: () => number;
}

export interface Admission {
  /** Who takes turns: the id of the key, with the address of the client on a server without keys. */
  readonly lane: string;
  /** Requests of the lane that run at once; default: no limit. */
  readonly atOnce?: number | undefined;
  /** Places that it takes; default 1. */
  readonly texts?: number | undefined;
  /** `id_slot`: the place that it must have; only for one text. */
  readonly place?: number | undefined;
  /** Leaves the queue. */
  readonly signal?: AbortSignal | undefined;
}

/** The places of a request that runs. */
export interface Ticket extends Disposable {
  /** From 0, one for each text; the place that was asked for. */
  readonly places: readonly number[];
  /** Seconds in the queue. */
  readonly waited: number;
  /** Frees a place, without an argument all of them. A place that is free already stays so. */
  release(place?: number): void;
}

interface Waiting {
  readonly lane: string;
  readonly atOnce: number;
  readonly texts: number;
  readonly place: number | undefined;
  readonly since: number;
  readonly admit: (ticket: Ticket) => void;
  readonly refuse: (reason: unknown) => void;
}

const WAITING = 256;
/** Seconds after which another server, or this one started again, may answer. */
const AFTER_DRAIN = 10;

export class Queue {
  readonly places: number;
  readonly #capacity: number;
  readonly #metrics: Metrics | undefined;
  readonly #now: () => number;
  /** The place that was released longest ago first: a chat that goes on finds its place as it left it. */
  readonly #free: Set<number>;
  readonly #turns = new Turns<Waiting>();
  readonly #rate = new Rate();
  /** Requests that run, by lane. */
  readonly #atWork = new Map<string, number>();
  readonly #reserved: ReadonlySet<number>;
  #isOpen = true;
  #isPaused = false;
  #drained: (() => void)[] = [];

  constructor({ places, reserved = [], waiting = WAITING, metrics, now = () => performance.now() }: QueueOptions) {
    this.places = places;
    this.#reserved = new Set(reserved);
    this.#capacity = waiting;
    this.#metrics = metrics;
    this.#now = now;
    this.#free = new Set(Array.from({ length: places }, (_, place) => place));
  }

  /** Places that are taken. */
  get running(): number {
    return this.places - this.#free.size;
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#turns.size;
  }

  /** False after `drain`. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether requests wait for `resume`. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Admits nothing until `resume`. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#serve();
  }

  /**
   * Waits for places. Throws a `Refusal`: 400 for more texts than places and for a place that does not exist, 429 with `retryAfter` if
   * the queue is full, 503 while it drains; throws the reason of the signal. If the queue is full, the last request of the longest lane
   * is refused, which may be one that waits already.
   */
  async admit({ lane, atOnce = Infinity, texts = 1, place, signal }: Admission): Promise<Ticket> {
    this.#check(texts, place);
    if (!this.#isOpen) throw drains();
    if (signal?.aborted) throw abortError(signal);
    let leave: (() => void) | undefined;
    try {
      return await new Promise<Ticket>((admit, refuse) => {
        const request: Waiting = { lane, atOnce, texts, place, since: this.#now(), admit, refuse };
        leave = guarded("abort", () => this.#leave(request, abortError(signal!)));
        signal?.addEventListener("abort", leave, { once: true });
        this.#turns.push(lane, request);
        this.#serve();
        if (this.#turns.size > this.#capacity) this.#turns.dropLongest(lane)?.refuse(this.#full());
      });
    } finally {
      if (leave) signal?.removeEventListener("abort", leave);
    }
  }

  /** Refuses what waits and what comes; resolves once no text runs. */
  drain(): Promise<void> {
    this.#isOpen = false;
    for (const { refuse } of this.#turns.clear()) refuse(drains());
    return new Promise((resolve) => {
      if (this.running === 0) resolve();
      else this.#drained.push(resolve);
    });
  }

  #check(texts: number, place: number | undefined): void {
    const shared = this.places - this.#reserved.size;
    if (place === undefined && texts > shared)
      throw new Refusal("invalid_request", `at most ${shared} texts can be asked for at once, found ${texts}`, {
        param: "n",
      });
    if (place === undefined) return;
    if (!Number.isInteger(place) || place < 0 || place >= this.places)
      throw new Refusal(
        "invalid_request",
        `the places are numbered from 0 to ${this.places - 1}, and there is no place ${place}`,
        { param: "id_slot" },
      );
    if (texts > 1)
      throw new Refusal("invalid_request", `a place is for one text, and ${texts} are asked for`, { param: "id_slot" });
  }

  #serve(): void {
    while (!this.#isPaused) {
      const next = this.#next();
      if (!next) return;
      next.admit(this.#ticket(next));
    }
  }

  #next(): Waiting | undefined {
    // one that needs many places would never get them if those behind it took each that becomes free
    let isHeld = false;
    return this.#turns.take((request) => {
      const { lane, atOnce, place } = request;
      if ((this.#atWork.get(lane) ?? 0) >= atOnce) return "pass";
      const isApart = place !== undefined && this.#reserved.has(place);
      if (this.#fits(request) && (isApart || !isHeld)) return "take";
      isHeld ||= place === undefined;
      return "later";
    });
  }

  #fits({ texts, place }: Waiting): boolean {
    return place === undefined ? this.#shared().length >= texts : this.#free.has(place);
  }

  /** Free places that any request may have. */
  #shared(): number[] {
    return [...this.#free].filter((place) => !this.#reserved.has(place));
  }

  #ticket({ lane, texts, place, since }: Waiting): Ticket {
    const places = place === undefined ? this.#shared().slice(0, texts) : [place];
    for (const taken of places) this.#free.delete(taken);
    this.#atWork.set(lane, (this.#atWork.get(lane) ?? 0) + 1);
    const begin = this.#now();
    const waited = (begin - since) / 1000;
    this.#metrics?.admitted(waited);
    const held = new Set(places);
    const release = (only?: number): void => {
      const given = (only === undefined ? [...held] : [only]).filter((one) => held.delete(one));
      if (given.length === 0) return;
      if (held.size === 0) this.#left(lane);
      for (const _ of given) this.#rate.note(this.#now() - begin);
      this.#release(given);
    };
    return { places, waited, release, [Symbol.dispose]: () => release() };
  }

  #left(lane: string): void {
    const others = this.#atWork.get(lane)! - 1;
    if (others > 0) this.#atWork.set(lane, others);
    else this.#atWork.delete(lane);
  }

  #release(places: readonly number[]): void {
    for (const place of places) this.#free.add(place);
    this.#serve();
    if (this.running > 0) return;
    for (const resolve of this.#drained) resolve();
    this.#drained = [];
  }

  /** A request whose client went away. Those behind it may have waited for it. */
  #leave(request: Waiting, reason: unknown): void {
    if (!this.#turns.remove(request.lane, request)) return;
    request.refuse(reason);
    this.#serve();
  }

  #full(): Refusal {
    let texts = 0;
    for (const waiting of this.#turns) texts += waiting.texts;
    const retryAfter = this.#rate.secondsFor(texts, Math.max(1, this.places - this.#reserved.size));
    const message = `${this.#turns.size} requests wait already: try again in ${retryAfter} s`;
    return new Refusal("queue_full", message, { retryAfter });
  }
}

const drains = (): Refusal => new Refusal("shutting_down", "the server is shutting down", { retryAfter: AFTER_DRAIN });

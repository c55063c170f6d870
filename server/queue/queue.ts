/**
 * Admission of texts to the places of the model's context. Requests wait in lanes, which take turns. A turn is a place for one text, so
 * that neither a lane of many requests nor a request of many texts keeps others waiting. Some places beyond those that a client gets
 * are spare: for lanes, and for requests, that have none. Where lanes wrote lately, each finds its share of the places free.
 */
import { abortError } from "ggsl/core/errors.js";
import { guarded } from "../guarded.js";
import type { Lane } from "../lanes/lane.js";
import type { LaneLimits } from "../lanes/limits.js";
import type { Metrics } from "../metrics/metrics.js";
import { Refusal, shuttingDown } from "../refusal.js";
import { Rate } from "./rate.js";
import { Recent } from "./recent.js";
import { Ticket, type Asked } from "./ticket.js";
import { Turns, type Choice } from "ggsl/core/turns.js";
import { checkTokens, Work } from "./work.js";

export type { Ticket } from "./ticket.js";

export interface QueueOptions {
  /** Texts of a client that run at once. */
  readonly places: number;
  /** Places beyond them, for clients and requests that have none; default 0. */
  readonly spare?: number;
  /** Places only for requests that ask for them. */
  readonly reserved?: readonly number[];
  /** Requests that wait; default 256. */
  readonly waiting?: number;
  readonly metrics?: Metrics | undefined;
  /** Milliseconds; default `performance.now`. */
  readonly now?: () => number;
}

export interface Admission {
  readonly lane: Lane;
  /** Of the lane; default: none. */
  readonly limits?: Partial<LaneLimits> | undefined;
  /** The most tokens that each of its texts can have, with its prompt; default: one text, whose tokens do not count. */
  readonly texts?: readonly number[] | undefined;
  /** `id_slot`: the place that it must have; only for one text. */
  readonly place?: number | undefined;
  /** Leaves the queue. */
  readonly signal?: AbortSignal | undefined;
}

const WAITING = 256;
/** Seconds after which another server, or this one started again, may answer. */
const AFTER_DRAIN = 10;

const hasNotBegun = ({ isBegun }: Ticket): boolean => !isBegun;

export class Queue {
  readonly places: number;
  readonly #spare: number;
  readonly #capacity: number;
  readonly #metrics: Metrics | undefined;
  readonly #now: () => number;
  /** The place that was released longest ago first: a chat that goes on finds its place as it left it. */
  readonly #free: Set<number>;
  /** Requests with texts that wait. */
  readonly #turns = new Turns<Ticket>();
  readonly #rate = new Rate();
  readonly #work = new Work();
  readonly #recent: Recent;
  readonly #reserved: ReadonlySet<number>;
  #isOpen = true;
  #isPaused = false;
  #drained: (() => void)[] = [];

  constructor(options: QueueOptions) {
    const { places, spare = 0, reserved = [], waiting = WAITING, metrics, now = () => performance.now() } = options;
    this.places = places;
    this.#spare = spare;
    this.#reserved = new Set(reserved);
    this.#capacity = waiting;
    this.#metrics = metrics;
    this.#now = now;
    this.#recent = new Recent(places, now);
    this.#free = new Set(Array.from({ length: places + spare }, (_, place) => place));
  }

  /** Places that are taken. */
  get running(): number {
    return this.places + this.#spare - this.#free.size;
  }

  /** Requests of which no text has had a place. */
  get waiting(): number {
    return [...this.#turns].filter(hasNotBegun).length;
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
   * Waits until the first text of a request has a place; the ticket has those of the others. Throws a `Refusal`: 400 for more texts than
   * places, for a place that does not exist, and for a text that its lane's limits never allow; 429 with `retryAfter` if the queue is
   * full; 503 while it drains; throws the reason of the signal. If the queue is full, the last request of the longest lane is refused,
   * which may be one that waits already.
   */
  async admit({ lane, limits = {}, texts = [0], place, signal }: Admission): Promise<Ticket> {
    this.#check(texts.length, place);
    checkTokens(texts, limits);
    if (!this.#isOpen) throw drains();
    if (signal?.aborted) throw abortError(signal);
    const ticket = this.#enter({ lane, limits, texts, wanted: place, since: this.#now() }, signal);
    if (this.waiting > this.#capacity) {
      const last = this.#turns.last(this.#turns.longest(lane, hasNotBegun), hasNotBegun)!;
      last.leave(this.#full(last));
    }
    await ticket.place(0);
    return ticket;
  }

  /** Refuses requests that have not begun, and those that come; resolves once the others are over. */
  drain(): Promise<void> {
    this.#isOpen = false;
    for (const ticket of [...this.#turns].filter(hasNotBegun)) ticket.leave(drains());
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#tellDrained();
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

  #enter(asked: Asked, signal: AbortSignal | undefined): Ticket {
    const ticket = new Ticket(asked, {
      released: (place, tokens, since) => this.#released(ticket, { place, tokens, since }),
      left: () => {
        this.#turns.remove(asked.lane, ticket);
        // those behind it may have waited for it
        this.#serve();
        this.#tellDrained();
      },
    });
    const leave = guarded("abort", () => ticket.leave(abortError(signal!)));
    signal?.addEventListener("abort", leave, { once: true });
    ticket.whenNoneWaits(() => signal?.removeEventListener("abort", leave));
    this.#turns.push(asked.lane, ticket);
    this.#serve();
    return ticket;
  }

  #serve(): void {
    while (!this.#isPaused) {
      const shared = [...this.#free].filter((place) => !this.#reserved.has(place));
      const next = this.#turns.next((ticket) => this.#choice(ticket, shared.length));
      if (!next) return;
      this.#give(next, next.asked.wanted ?? shared[0]!);
    }
  }

  /** @param free places that any request may have */
  #choice(ticket: Ticket, free: number): Choice {
    const { lane, wanted } = ticket.asked;
    const limit = this.#work.exceeded(ticket);
    if (limit !== undefined) return limit === "requests" ? "later" : "pass";
    if (wanted !== undefined && !this.#free.has(wanted)) return "later";
    if (wanted !== undefined && this.#reserved.has(wanted)) return "take";
    if (this.#work.textsOf(lane) === 0) return free > 0 ? "take" : "later";
    const spare = Math.max(0, ticket.running === 0 ? this.#spare - 1 : this.#spare);
    const kept = this.#recent.keptFrom(lane, (other) => this.#work.textsOf(other));
    return free > Math.max(spare, kept) ? "take" : "later";
  }

  #give(ticket: Ticket, place: number): void {
    const isFirst = !ticket.isBegun;
    this.#free.delete(place);
    this.#work.begin(ticket);
    this.#noteTexts(ticket.asked.lane);
    ticket.give(place, this.#now());
    if (isFirst) this.#metrics?.admitted(ticket.waited);
    if (ticket.left === 0) this.#turns.remove(ticket.asked.lane, ticket);
  }

  #released(ticket: Ticket, { place, tokens, since }: { place: number; tokens: number; since: number }): void {
    this.#noteTexts(ticket.asked.lane);
    this.#work.end(ticket, tokens);
    this.#rate.note(this.#now() - since);
    this.#free.add(place);
    this.#serve();
    this.#tellDrained();
  }

  #noteTexts(lane: Lane): void {
    this.#recent.note(lane, this.#work.textsOf(lane));
  }

  /** Requests that have begun may have texts that wait. */
  #tellDrained(): void {
    if (this.#isOpen || this.running > 0 || this.#turns.size > 0) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  #full(refused: Ticket): Refusal {
    const others = [...this.#turns].filter((ticket) => ticket !== refused);
    const texts = others.reduce((sum, { left }) => sum + left, 0);
    const retryAfter = this.#rate.secondsFor(texts, Math.max(1, this.places - this.#reserved.size));
    const message = `${others.filter(hasNotBegun).length} requests wait already: try again in ${retryAfter} s`;
    return new Refusal("queue_full", message, { retryAfter });
  }
}

const drains = (): Refusal => shuttingDown(AFTER_DRAIN);

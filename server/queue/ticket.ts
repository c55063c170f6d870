/** A request in the queue: its texts that wait, and those that have places. */
import type { Lane } from "../lanes/lane.js";
import type { LaneLimits } from "../lanes/limits.js";

/** What a request asks of the queue. */
export interface Asked {
  readonly lane: Lane;
  readonly limits: Partial<LaneLimits>;
  /** The most tokens that each text can have, with its prompt. */
  readonly texts: readonly number[];
  /** The only place for its one text. */
  readonly wanted: number | undefined;
  /** When it came, in milliseconds. */
  readonly since: number;
}

/** What the queue does when a text ends, and when those that wait give up. */
interface Releases {
  /** @param since when the text got its place, in milliseconds */
  readonly released: (place: number, tokens: number, since: number) => void;
  readonly left: () => void;
}

interface Held {
  readonly place: number;
  readonly since: number;
}

interface Promised {
  readonly promise: Promise<number>;
  readonly resolve: (place: number) => void;
  readonly reject: (reason: unknown) => void;
}

export class Ticket implements Disposable {
  /** Those of texts that run. */
  readonly #held = new Map<number, Held>();
  readonly #places: Promised[];
  /** Texts that have had their place, in the order of the texts. */
  #begun = 0;
  #hasLeft = false;
  #waited = 0;
  #atEnd: () => void = () => undefined;

  constructor(
    readonly asked: Asked,
    private readonly releases: Releases,
  ) {
    this.#places = asked.texts.map(promised);
  }

  /** Seconds until the first text had a place. */
  get waited(): number {
    return this.#waited;
  }

  /** Whether a text has had a place. */
  get isBegun(): boolean {
    return this.#begun > 0;
  }

  /** Texts that have places. */
  get running(): number {
    return this.#held.size;
  }

  /** The places of texts that run. */
  get places(): readonly number[] {
    return [...this.#held.values()].map(({ place }) => place);
  }

  /** Texts that wait. */
  get left(): number {
    return this.#hasLeft ? 0 : this.asked.texts.length - this.#begun;
  }

  /** Tokens of the next text. */
  get nextTokens(): number {
    return this.asked.texts[this.#begun]!;
  }

  /** Waits for the place of a text, which are given in the order of texts. */
  place(text: number): Promise<number> {
    return this.#places[text]!.promise;
  }

  /** Frees the place of a text, without an argument all of them, and gives up those that wait. One that is free already stays so. */
  release(text?: number): void {
    if (text === undefined) this.leave(new Error("it was released"));
    for (const one of text === undefined ? [...this.#held.keys()] : [text]) {
      const held = this.#held.get(one);
      if (!held) continue;
      this.#held.delete(one);
      this.releases.released(held.place, this.asked.texts[one]!, held.since);
    }
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** For the queue: the next text has its place. */
  give(place: number, now: number): void {
    const text = this.#begun++;
    if (text === 0) this.#waited = (now - this.asked.since) / 1000;
    this.#held.set(text, { place, since: now });
    this.#places[text]!.resolve(place);
    if (this.left === 0) this.#atEnd();
  }

  /** For the queue: texts that wait will have no place. */
  leave(reason: unknown): void {
    if (this.left === 0) return;
    this.#hasLeft = true;
    for (const { reject } of this.#places.slice(this.#begun)) reject(reason);
    this.#atEnd();
    this.releases.left();
  }

  /** For the queue: called when no text waits any more. */
  whenNoneWaits(action: () => void): void {
    this.#atEnd = action;
  }
}

/** Whoever waits gets an error; nobody needs to. */
function promised(): Promised {
  let resolve!: Promised["resolve"];
  let reject!: Promised["reject"];
  const promise = new Promise<number>((one, other) => ([resolve, reject] = [one, other]));
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

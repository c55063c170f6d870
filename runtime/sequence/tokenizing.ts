/**
 * Texts that wait to become tokens on another thread. A model has a thread for short texts and one for long ones; those that wait for
 * one come by lanes, which share its time fairly.
 */
import type { NativeModel } from "../backends/native/binding.js";
import { unlessAborted } from "../core/aborts.js";
import { abortError, InputError } from "../core/errors.js";
import { Shares } from "../core/shares.js";
import { Turns } from "../core/turns.js";

/** docs/security.md lists them. */
export const TEXT_LIMITS = {
  /** Bytes of a short text, as the addon has it. */
  shortBytes: 2 ** 14,
  /** Texts of a lane that wait, and of all lanes. */
  waitingOfLane: 128,
  waiting: 1024,
} as const;

/** Whose text it is. */
export interface TextClient {
  /** Equal for all of one client. */
  readonly lane?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface GivenText {
  readonly text: string;
  /** With the special tokens that the model adds around it. */
  readonly isWhole: boolean;
  /** Special tokens that the text names are read as these. */
  readonly special: boolean;
  /** How many the caller can use; 0: any number. */
  readonly mostTokens: number;
}

interface Waiting {
  readonly lane: string;
  /** What it is expected to take. */
  readonly milliseconds: number;
  readonly begin: () => Promise<Int32Array>;
  readonly resolve: (tokens: Int32Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes of a text that becomes tokens at once: a turn of another thread takes longer than its tokens. */
const AT_ONCE = 128;

/** Ordinary text takes less. */
const BYTES_PER_MILLISECOND = 1000;

class TokenizingQueue {
  private readonly turns = new Turns<Waiting>();
  /** Milliseconds of the thread. */
  private readonly shares = new Shares<string>();
  private isServing = false;

  wait(waiting: Waiting): void {
    this.turns.push(waiting.lane, waiting);
    if (!this.isServing) void this.serve();
    else this.bound(waiting.lane);
  }

  /** Without effect on a text that the thread works on: it is done with it before it takes another. */
  leave(waiting: Waiting): void {
    this.turns.remove(waiting.lane, waiting);
  }

  private async serve(): Promise<void> {
    this.isServing = true;
    for (let next = this.next(); next; next = this.next()) {
      const start = performance.now();
      await next.begin().then(next.resolve, next.reject);
      this.shares.add(next.lane, performance.now() - start);
    }
    this.isServing = false;
    this.shares.clear();
  }

  private next(): Waiting | undefined {
    this.shares.want(this.turns.lanes());
    const next = this.turns.least(({ lane, milliseconds }) => this.shares.of(lane) + milliseconds);
    if (next) this.turns.remove(next.lane, next);
    return next;
  }

  /** Refuses the last of a lane that has too many. */
  private bound(lane: string): void {
    const { waiting, waitingOfLane } = TEXT_LIMITS;
    const isFull = this.turns.size > waiting;
    if (this.turns.lengthOf(lane) <= waitingOfLane && !isFull) return;
    const last = this.turns.last(isFull ? this.turns.longest(lane) : lane)!;
    this.turns.remove(last.lane, last);
    last.reject(
      new InputError(
        `too many texts wait to become tokens: at most ${waitingOfLane} of one client, and ${waiting} of all`,
        { code: "BUSY" },
      ),
    );
  }
}

interface Queues {
  readonly short: TokenizingQueue;
  readonly long: TokenizingQueue;
}

const queues = new WeakMap<NativeModel, Queues>();

function queuesOf(model: NativeModel): Queues {
  const known = queues.get(model) ?? { short: new TokenizingQueue(), long: new TokenizingQueue() };
  queues.set(model, known);
  return known;
}

const encoder = new TextEncoder();

/** In UTF-8; only a lower bound for a text that is long in any case. */
const bytesOf = (text: string): number =>
  text.length > TEXT_LIMITS.shortBytes ? text.length : encoder.encode(text).length;

/**
 * Rejects as the model does, with BUSY if too many wait, and with what aborted the signal: a text that waits leaves then, and the thread
 * finishes one that it works on.
 */
export async function tokenizeInTurn(
  model: NativeModel,
  { text, isWhole, special, mostTokens }: GivenText,
  { lane = "", signal }: TextClient,
): Promise<Int32Array> {
  if (signal?.aborted) throw abortError(signal);
  const bytes = bytesOf(text);
  if (bytes <= AT_ONCE) return model.tokenize(text, isWhole, special);
  const { short, long } = queuesOf(model);
  const queue = bytes <= TEXT_LIMITS.shortBytes ? short : long;
  const milliseconds = bytes / BYTES_PER_MILLISECOND;
  const begin = async (): Promise<Int32Array> => model.tokenizeLater(text, isWhole, special, mostTokens);
  let leave = (): void => undefined;
  const tokens = new Promise<Int32Array>((resolve, reject) => {
    const waiting: Waiting = { lane, milliseconds, begin, resolve, reject };
    leave = () => queue.leave(waiting);
    queue.wait(waiting);
  });
  return unlessAborted(tokens, signal, leave);
}

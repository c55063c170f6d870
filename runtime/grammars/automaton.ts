/**
 * Positions of texts in an automaton. Most tokens take microseconds, and are worked out in this thread; what takes more steps, or waits for
 * another text of the grammar, goes to other threads where there are some.
 */
import { invalid, translate, translated, type InputError } from "../core/errors.js";
import type { AutomatonPosition, ThreadedPosition } from "../backends/native/automatonBinding.js";
import type { OpenAutomaton } from "./automata.js";
import { hasBit } from "./bits.js";
import { notReady, type Positioned } from "./position.js";
import { soon } from "./soon.js";
import { sharedPool } from "./threads/pool.js";
import type { GrammarState } from "./types.js";

/** How the positions of a text are worked out. */
interface TextOptions {
  /** In this thread, whatever it takes. */
  readonly now: boolean;
  /** Whose text it is: lanes take turns in other threads. */
  readonly lane: string;
}

/** The beginning of a text. */
export const beginAutomaton = (opened: OpenAutomaton, options: TextOptions): GrammarState =>
  new AutomatonState(new Text(opened, options), opened.start);

const isThreaded = (position: AutomatonPosition): position is ThreadedPosition => "allowedLater" in position;

const refused = (token: number): InputError => invalid(`the grammar does not accept token ${token} here`);

/** What the positions of a text share. */
class Text {
  readonly ends: ReadonlySet<number>;
  /** Words of a mask. */
  readonly words: number;

  constructor(
    { vocabulary }: OpenAutomaton,
    private readonly options: TextOptions,
  ) {
    ({ ends: this.ends, words: this.words } = vocabulary);
  }

  /** What can be worked out in other threads; undefined: all of it in this one. */
  threaded(position: AutomatonPosition): ThreadedPosition | undefined {
    return !this.options.now && isThreaded(position) ? position : undefined;
  }

  /** The position after a token; null: it takes more steps than this thread has. Throws `InputError` for one that may not come next. */
  after(position: AutomatonPosition, token: number): AutomatonPosition | null {
    if (this.isEnd(position, token)) return position;
    const threaded = this.threaded(position);
    const next = translated(() => (threaded ? threaded.afterQuickly(token) : position.after(token)));
    if (next === undefined) throw refused(token);
    return next;
  }

  async afterLater(position: AutomatonPosition, token: number): Promise<AutomatonPosition> {
    const next = this.after(position, token) ?? (await this.later(() => this.threaded(position)!.afterLater(token)));
    if (next === undefined) throw refused(token);
    return next;
  }

  async later<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await sharedPool().run(this.options.lane, work);
    } catch (error) {
      throw translate(error);
    }
  }

  /** The text may go on after its end, as if that were not there. */
  private isEnd(position: AutomatonPosition, token: number): boolean {
    if (!this.ends.has(token)) return false;
    if (!position.mayEnd) throw refused(token);
    return true;
  }
}

class AutomatonState implements Positioned {
  #bits: Uint32Array | undefined;
  #waits: Promise<void> | undefined;
  #at: AutomatonPosition;
  /** Tokens after `#at` that are still to be read. */
  #unread: readonly number[];

  constructor(
    private readonly text: Text,
    at: AutomatonPosition,
    unread: readonly number[] = [],
  ) {
    this.#at = at;
    this.#unread = unread;
  }

  ready(): Promise<void> | undefined {
    return this.#bits ? undefined : (this.#waits ??= soon(() => (this.#isReady() ? undefined : this.#later())));
  }

  bits(): Uint32Array {
    if (!this.#bits && !this.#isReady()) throw notReady();
    return this.#bits!;
  }

  rules(): number {
    if (this.#isRead()) return this.#at.marks;
    throw notReady();
  }

  accept(token: number): GrammarState {
    if (this.#bits && !hasBit(this.#bits, token)) throw refused(token);
    const next = this.#isRead() ? this.text.after(this.#at, token) : null;
    if (next === this.#at) return this;
    return next
      ? new AutomatonState(this.text, next)
      : new AutomatonState(this.text, this.#at, [...this.#unread, token]);
  }

  async follow(tokens: ArrayLike<number>): Promise<readonly GrammarState[]> {
    const states: GrammarState[] = [];
    for (const token of Array.from(tokens)) {
      const at: GrammarState = states.at(-1) ?? this;
      await at.ready();
      if (this.text.ends.has(token) || !hasBit(at.bits(), token)) break;
      states.push(at.accept(token));
    }
    await states.at(-1)?.ready();
    return states;
  }

  position(): AutomatonPosition | undefined {
    return this.#isRead() ? this.#at : undefined;
  }

  release(): void {
    // positions are freed with their objects
  }

  /** Reads what this thread has time for; whether nothing is left. */
  #isRead(): boolean {
    let [at, read] = [this.#at, 0];
    for (const token of this.#unread) {
      const next = this.text.after(at, token);
      if (!next) break;
      at = next;
      read++;
    }
    [this.#at, this.#unread] = [at, this.#unread.slice(read)];
    return this.#unread.length === 0;
  }

  #isReady(): boolean {
    if (!this.#isRead()) return false;
    const bits = new Uint32Array(this.text.words);
    const threaded = this.text.threaded(this.#at);
    const isDone = translated(() => (threaded ? threaded.allowedQuickly(bits) : (this.#at.allowed(bits), true)));
    if (isDone) this.#bits = bits;
    return isDone;
  }

  async #later(): Promise<void> {
    let at = this.#at;
    for (const token of this.#unread) at = await this.text.afterLater(at, token);
    [this.#at, this.#unread] = [at, []];
    if (this.#isReady()) return;
    this.#bits = await this.text.later(() => this.text.threaded(this.#at)!.allowedLater());
  }
}

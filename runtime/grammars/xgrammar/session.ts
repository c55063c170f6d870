/**
 * A grammar of one text. The engine's matcher is at one position, and moves to another by taking tokens back up to what both have in
 * common. Positions are immutable, and remember the tokens before them.
 */
import { InputError, invalid } from "../../core/errors.js";
import { hasBit } from "../bits.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import { soon } from "../soon.js";
import type { GrammarState } from "../types.js";
import type { Client } from "./client.js";
import type { EngineReply, EngineRequest, EngineVocabulary, OpenRequest } from "./engine.js";
import type { Prepared } from "./instance.js";

/** What a session needs of a vocabulary. */
export interface SessionVocabulary {
  readonly size: number;
  readonly id: number;
  readonly isEnd: (token: number) => boolean;
  /** What the engine is given, if it has not got it. */
  texts(): EngineVocabulary;
}

/** What a message calls the grammar, such as "the JSON schema". */
type Naming = (message: string) => string;

/** `now`: a position computes its bits in this thread when they are asked for, and blocks it. */
export interface SessionOptions {
  readonly vocabulary: SessionVocabulary;
  readonly grammar: Prepared;
  readonly naming: Naming;
  readonly now: boolean;
  /** Where the text lives: where the first is too slow or has too little memory for it, it goes on in the next. */
  readonly clients: readonly [Client, ...Client[]];
  /** Called when it does. */
  readonly onNext?: () => void;
  /** Whose text it is: lanes take turns where grammars are opened. */
  readonly lane?: string | undefined;
}

/** A matcher of the engine, and its position. */
interface Matcher {
  readonly id: number;
  readonly epoch: number;
  at: Position;
}

type Steps = Generator<EngineRequest, number, EngineReply>;

/** After how many losses of the engine a text gives up: each is due to another text. */
const MAX_LOSSES = 20;

class Session {
  private matcher: Matcher | undefined;
  /** Requests of one session follow one another. */
  private turn: Promise<unknown> = Promise.resolve();
  /** How many of them have no answer yet. */
  private turns = 0;
  /** The positions that have their bits, the oldest first. */
  private readonly kept: Position[] = [];
  private opening: OpenRequest | undefined;
  private others: readonly Client[];
  client: Client;
  readonly start = new Position(this, undefined, -1, 0);

  constructor(readonly options: SessionOptions) {
    [this.client, ...this.others] = options.clients;
  }

  /**
   * Computes the bits of a position and of those before it from a depth on; the result is how many tokens it accepts, itself if the
   * engine answers at once.
   */
  prepare(position: Position, from: number): number | Promise<number> {
    const run = (): number | Promise<number> => {
      const steps = this.steps(position, from);
      return this.finished(steps, steps.next());
    };
    const result = this.turns === 0 ? run() : this.turn.then(run);
    if (typeof result === "number") return result;
    this.turns++;
    const end = (): number => this.turns--;
    this.turn = result.then(end, end);
    return result;
  }

  private finished(steps: Steps, first: IteratorResult<EngineRequest, number>): number | Promise<number> {
    let asked = first;
    while (!asked.done) {
      const reply = this.client.askSoon(asked.value, this.options.lane);
      if (reply instanceof Promise) return reply.then((found) => this.finished(steps, steps.next(found)));
      asked = steps.next(reply);
    }
    return asked.value;
  }

  prepareNow(position: Position): number {
    const steps = this.steps(position, position.depth);
    let asked = steps.next();
    while (!asked.done) asked = steps.next(this.client.askNow(asked.value));
    return asked.value;
  }

  /** Gives the matcher back; it is opened again if it is needed. */
  release(): void {
    if (this.opening) this.client.withdraw(this.opening);
    const close = (): void => this.close();
    if (this.turns > 0) void this.turn.then(close, close);
    else close();
  }

  private close(): void {
    const { matcher } = this;
    this.matcher = undefined;
    if (matcher) this.client.forget({ type: "close", matcher: matcher.id, epoch: matcher.epoch });
  }

  private *steps(position: Position, from: number): Steps {
    for (let losses = 0; losses < MAX_LOSSES; losses++) {
      const matcher = (this.matcher ??= yield* this.open());
      if (!matcher) continue;
      const { keep, tokens } = wayTo(matcher.at, position, from);
      const reply = yield {
        type: "move",
        matcher: matcher.id,
        epoch: matcher.epoch,
        tokens,
        back: matcher.at.depth - keep.depth,
        masks: position.depth - from + 1,
      };
      if (reply.type === "moved") return this.arrive(matcher, position, keep.depth + reply.accepted, reply.bits);
      this.matcher = undefined;
      if (reply.type !== "gone" && !this.isNext(reply)) throw this.failure(reply);
    }
    throw new InputError(this.options.naming("the engine was ended because of other grammars again and again"), {
      code: "ENGINE_FAILED",
    });
  }

  /** The matcher is at the position, or at the last one on the way that the grammar accepts. */
  private arrive(matcher: Matcher, position: Position, depth: number, bits: readonly Uint32Array[]): number {
    matcher.at = position.above(depth);
    for (const [i, words] of bits.entries()) {
      const at = matcher.at.above(depth - bits.length + 1 + i);
      at.words = words;
      this.kept.push(at);
    }
    while (this.kept.length > GRAMMAR_LIMITS.path) this.kept.shift()!.words = undefined;
    return depth;
  }

  private *open(): Generator<EngineRequest, Matcher | undefined, EngineReply> {
    const { vocabulary, grammar } = this.options;
    const request: OpenRequest = { type: "open", vocabulary: vocabulary.id, grammar };
    let reply = yield (this.opening = request);
    if (reply.type === "gone" && reply.what === "vocabulary")
      reply = yield (this.opening = { ...request, texts: vocabulary.texts() });
    this.opening = undefined;
    if (reply.type === "gone" || this.isNext(reply)) return undefined;
    if (reply.type !== "opened") throw this.failure(reply);
    return { id: reply.matcher, epoch: reply.epoch, at: this.start };
  }

  /** Goes on where there is more time and memory, if that is what it lacks. */
  private isNext(reply: EngineReply): boolean {
    const [next, ...others] = this.others;
    if (!next || reply.type !== "failed" || reply.kind !== "limit") return false;
    this.client = next;
    this.others = others;
    this.options.onNext?.();
    return true;
  }

  private failure(reply: EngineReply): Error {
    if (reply.type !== "failed") return new Error(`the grammar engine answered \`${reply.type}\``);
    const { message, kind } = reply;
    return new InputError(this.options.naming(message), {
      code: kind === "limit" ? "LIMIT_EXCEEDED" : "INVALID_ARGUMENT",
    });
  }
}

/** The last position that both ways have in common, at a depth of at most `most`, and the tokens from there to `to`. */
function wayTo(from: Position, to: Position, most: number): { readonly keep: Position; readonly tokens: number[] } {
  const tokens: number[] = [];
  let [a, b] = [from, to];
  while (a !== b || b.depth > most) {
    if (a.depth > b.depth) a = a.before!;
    else {
      if (a.depth === b.depth) a = a.before!;
      tokens.push(b.token);
      b = b.before!;
    }
  }
  return { keep: b, tokens: tokens.reverse() };
}

class Position implements GrammarState {
  words: Uint32Array | undefined;

  constructor(
    private readonly session: Session,
    readonly before: Position | undefined,
    readonly token: number,
    /** The number of tokens before it. */
    readonly depth: number,
  ) {}

  ready(): Promise<void> | undefined {
    if (this.words) return undefined;
    const { client, options } = this.session;
    if (options.now || (!client.isElsewhere && !client.ready())) return undefined;
    return soon(() => {
      const depth = this.session.prepare(this, this.depth);
      if (depth instanceof Promise) return depth.then((reached) => this.checkDepth(reached));
      this.checkDepth(depth);
      return undefined;
    });
  }

  bits(): Uint32Array {
    if (this.words) return this.words;
    if (!this.session.options.now && this.session.client.isElsewhere)
      throw new InputError("this position of a grammar is not ready: await `ready()`", { code: "NOT_READY" });
    this.checkDepth(this.session.prepareNow(this));
    return this.words!;
  }

  accept(token: number): GrammarState {
    const { vocabulary } = this.session.options;
    if (!Number.isInteger(token) || token < 0 || token >= vocabulary.size) throw this.refused(token);
    if (this.words && !hasBit(this.words, token)) throw this.refused(token);
    // the text may go on after it, as if it were not there
    return vocabulary.isEnd(token) ? this : new Position(this.session, this, token, this.depth + 1);
  }

  async follow(tokens: ArrayLike<number>): Promise<readonly GrammarState[]> {
    const { vocabulary } = this.session.options;
    const positions: Position[] = [];
    for (const token of Array.from(tokens).slice(0, GRAMMAR_LIMITS.path - 1)) {
      if (vocabulary.isEnd(token)) break;
      positions.push(new Position(this.session, positions.at(-1) ?? this, token, this.depth + positions.length + 1));
    }
    const last = positions.at(-1);
    if (!last) return [];
    const depth = await this.session.prepare(last, this.words ? this.depth + 1 : this.depth);
    return positions.slice(0, Math.max(depth - this.depth, 0));
  }

  release(): void {
    this.session.release();
  }

  /** The position on the way to this one. */
  above(depth: number): Position {
    // oxlint-disable-next-line typescript/no-this-alias
    let position: Position = this;
    while (position.depth > depth) position = position.before!;
    return position;
  }

  /** Throws if the grammar accepts only the tokens up to a depth. */
  private checkDepth(depth: number): void {
    if (depth < this.depth) throw this.refused(this.above(depth + 1).token);
  }

  private refused(token: number): InputError {
    return invalid(`the grammar does not accept token ${token} here`);
  }
}

/** The beginning of a text. */
export const openSession = (options: SessionOptions): GrammarState => new Session(options).start;

/** Positions of a grammar that is still being prepared: they know the tokens before them, and become those of the engine. */
import { InputError } from "../core/errors.js";
import { notReady, positionOf, type Positioned } from "./position.js";
import { soon } from "./soon.js";
import type { AutomatonPosition } from "../backends/native/automatonBinding.js";
import type { GrammarState } from "./types.js";

export class Opening {
  private opened: GrammarState | undefined;
  private asked: Promise<void> | undefined;
  private left = new AbortController();

  /** @param open the beginning of the text: itself, if it can be had at once. The signal is aborted if nothing waits any more. */
  constructor(private readonly open: (signal: AbortSignal) => GrammarState | Promise<GrammarState>) {}

  /** The beginning, once it is there. */
  get start(): GrammarState | undefined {
    return this.opened;
  }

  /** What to wait for until `start` is there; undefined if it is. */
  ready(): Promise<void> | undefined {
    if (this.opened) return undefined;
    return (this.asked ??= soon(() => this.ask()));
  }

  release(): void {
    this.opened?.release();
    if (this.opened || !this.asked) return;
    this.left.abort(new InputError("the text of this grammar is over", { code: "ENDED" }));
    this.left = new AbortController();
    this.asked = undefined;
  }

  private ask(): Promise<void> | undefined {
    const opened = this.open(this.left.signal);
    if (opened instanceof Promise) return opened.then((state) => void (this.opened = state));
    this.opened = opened;
    return undefined;
  }
}

export class Later implements Positioned {
  private known: GrammarState | undefined;

  constructor(
    private readonly opening: Opening,
    private readonly before?: Later,
    private readonly token = -1,
  ) {}

  ready(): Promise<void> | undefined {
    const waits = this.opening.ready();
    return waits ? waits.then(() => this.readyNow()) : this.readyNow();
  }

  bits(): Uint32Array {
    const { state } = this;
    if (state) return state.bits();
    throw notReady();
  }

  rules(): number {
    const { state } = this;
    if (state) return state.rules!();
    throw notReady();
  }

  accept(token: number): GrammarState {
    return this.state?.accept(token) ?? new Later(this.opening, this, token);
  }

  async follow(tokens: ArrayLike<number>): Promise<readonly GrammarState[]> {
    await this.opening.ready();
    return this.state!.follow(tokens);
  }

  position(): AutomatonPosition | undefined {
    const { state } = this;
    return state && positionOf(state);
  }

  release(): void {
    this.opening.release();
  }

  private readyNow(): Promise<void> | undefined {
    return soon(() => this.state!.ready());
  }

  /** The engine's position, once the grammar is there. Throws `InputError` for a token that may not come there. */
  private get state(): GrammarState | undefined {
    const way: Later[] = [];
    // oxlint-disable-next-line typescript/no-this-alias
    let at: Later | undefined = this;
    for (; at && !at.known; at = at.before) way.push(at);
    let state = at?.known;
    for (const one of way.reverse()) state = one.known = state ? state.accept(one.token) : this.opening.start;
    return state;
  }
}

/** A text that the context writes on: what its next run begins with, and its tokens for its reader. */
import type { NativeText } from "../../backends/native/binding.js";
import { Later } from "./later.js";
import type { Place } from "./places.js";
import type { Step } from "./step.js";
import type { Written } from "./written.js";

/** What a line tells the run that it is part of. */
interface RunOfLine {
  /** Nobody will read more of the line. */
  stopped(isAborted: boolean): void;
  /** A token was read. */
  taken(): void;
  /** The line is better asked for its next tokens. */
  paused(): void;
}

export class Line {
  readonly later: Later;
  /** The run that it is part of; undefined: it rests. */
  run: RunOfLine | undefined;
  /** The latest token, which the model has not read; undefined before the first. */
  token: number | undefined;
  /** How many tokens it may have after the next one. */
  room: number;
  /** The latest run gave it a token, the text in the context has accepted that, and the model has read all before it. */
  private isWhole = false;

  /**
   * @param step what was asked of its text
   * @param onWait called where its reader waits for a token while it rests
   */
  constructor(
    readonly place: Place,
    private readonly step: Step,
    onWait: () => void,
  ) {
    this.room = step.room ?? 0;
    this.later = new Later(
      (isAborted) => this.run?.stopped(isAborted),
      () => this.run?.taken(),
      () => {
        if (!this.run) onWait();
      },
      () => this.run?.paused(),
    );
  }

  get text(): NativeText {
    return this.step.text!;
  }

  /** How many tokens after the next one a run gives it, where it gives `group` to those that do not say. */
  most(group: number): number {
    return group === 0 ? 0 : Math.min(this.step.ahead ?? group, this.room);
  }

  begin(run: RunOfLine): void {
    this.run = run;
    this.isWhole = false;
  }

  /** A token that a batch gave. */
  accept(written: Written): void {
    if (this.token !== undefined) {
      if (written.isRead) this.place.tokens.push(this.token);
      this.later.push(written);
    }
    this.token = written.token;
    this.room--;
    this.isWhole = written.pieces !== undefined && written.isRead;
  }

  /** Whether it can go on without its reader's asking anew. */
  get canGoOn(): boolean {
    return this.isWhole && !this.later.isUnread && this.room >= 0;
  }

  /** Its reader waits for a token. */
  get isWanted(): boolean {
    return this.canGoOn && this.later.isAwaited;
  }
}

/** The texts of a context that it writes on: in a run, or at rest until their readers want more. */
import type { Batch, DecodeOutput, NativeContext } from "../../backends/native/binding.js";
import { GROUP, Run, type RunEvents } from "./ahead.js";
import { Line } from "./line.js";

interface WritingOptions extends Pick<RunEvents, "toldOf"> {
  /** The context has one sequence. */
  readonly isAlone: boolean;
  /** Who waits joins with the next batch. */
  readonly joinsAtOnce: boolean;
}

/** What a run has beside its texts. */
interface Beside extends Pick<RunEvents, "onFirst" | "onDecode"> {
  /** The tokens of texts that begin, and of others. */
  readonly batch: Batch;
  /** Whether some are of others, which come back for their next tokens. */
  readonly hasOthers: boolean;
  /** Others wait for its end. */
  readonly isAwaited: boolean;
  /** Texts rest after it, else they ask for their next tokens. */
  readonly rest: boolean;
}

export class Writing {
  private readonly resting = new Set<Line>();
  private running: Run | undefined;
  /** Whether a text waited for the end of the latest run. */
  private isAwaited = false;

  constructor(private readonly options: WritingOptions) {}

  /** Texts at rest whose readers wait for a token. */
  get wanted(): readonly Line[] {
    for (const line of this.resting) if (!line.canGoOn) this.resting.delete(line);
    return [...this.resting].filter(({ isWanted }) => isWanted);
  }

  /** A text waits for the end of the run. */
  join(): void {
    if (this.options.joinsAtOnce) this.running?.pause();
  }

  /** Texts at rest have no more tokens without being asked for. */
  endRest(error?: Error): void {
    for (const { later } of this.resting) later.end(error);
    this.resting.clear();
  }

  /**
   * A run. Resolves to the outputs of its first batch that are of no line; rejects where that fails.
   * @param isWaited whether others wait for its end now
   */
  async write(
    context: NativeContext,
    lines: readonly Line[],
    { batch, hasOthers, isAwaited, onFirst, onDecode, rest }: Beside,
    isWaited: () => boolean,
  ): Promise<readonly DecodeOutput[]> {
    const { joinsAtOnce, isAlone, toldOf } = this.options;
    const run = new Run(context, lines, { onFirst, onDecode, endsEarly: joinsAtOnce, toldOf });
    const isSmall = (this.isAwaited || isAwaited) && !joinsAtOnce;
    const group = hasOthers ? 0 : isAlone ? GROUP.alone : isSmall ? GROUP.small : GROUP.large;
    for (const line of lines) this.resting.delete(line);
    this.running = run;
    try {
      const outputs = await run.write(batch, group, isAlone && !hasOthers);
      // who has read all that was written here asks after its end
      this.isAwaited = isWaited();
      return outputs;
    } finally {
      this.running = undefined;
      for (const line of lines) {
        if (rest && line.canGoOn) this.resting.add(line);
        else line.later.end();
      }
    }
  }
}

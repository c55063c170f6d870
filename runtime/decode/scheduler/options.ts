/** What a scheduler is opened with. */
import type { ContextOptions, NativeContext } from "../../backends/native/binding.js";

export type Open = (
  options: Pick<ContextOptions, "chains" | "guides" | "sequences" | "rows" | "outputs">,
) => Promise<NativeContext>;

export interface SchedulerOptions {
  /** Sequences only for requests that ask for them. */
  readonly reserved?: ReadonlySet<number>;
  /** Called after each batch with the milliseconds that it took. */
  readonly onDecode?: ((milliseconds: number) => void) | undefined;
  /**
   * Texts that begin or are set while others go on by themselves join them after the present batch. Else these have all their tokens before,
   * so that what is decoded together does not depend on time.
   */
  readonly joinsAtOnce?: boolean | undefined;
  /** What the chains of a batch may take together, in rows; default: any number. */
  readonly decodeWork?: number | undefined;
}

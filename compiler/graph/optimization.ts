/** The description of an optimization: a pass over the finished graph or a rule of lowering. */
export interface Optimization {
  /** The name that `--disable NAME` takes. */
  readonly name: string;
  /** What it does, in one line. */
  readonly doc: string;
  /** A program or pipeline that it improves; tests and docs/optimizer.md show the graph without and with it. */
  readonly example: string;
}

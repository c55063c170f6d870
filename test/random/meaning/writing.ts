/** Texts that a program writes: what is left of the present one, and which conditions held at the place before. */
import { tokensOf } from "../vocabulary.js";
import type { Write } from "./table.js";

export class Writing {
  private left: number[] = [];
  private held: readonly boolean[] = [];

  constructor(private readonly vocabSize: number) {}

  /** The token that comes next in place of the pick, if one does. Called once at each place. */
  next(writes: readonly Write[]): number | undefined {
    if (this.left.length === 0) {
      const first = writes.find(({ text, holds }, i) => text !== "" && holds && this.held[i] !== true);
      if (first) this.left = tokensOf(first.text, this.vocabSize);
    }
    this.held = writes.map(({ holds }) => holds);
    return this.left.shift();
  }
}

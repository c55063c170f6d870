/** The texts of a comparison while they are written. */
import type { WrittenText } from "./measures.js";

export class ComparedTexts {
  /** The texts of each chain by their numbers; undefined until a text has ended. */
  private readonly written: (WrittenText | undefined)[][];
  /** Tokens so far; a text that has ended counts as a whole one. */
  private readonly counts: number[][];
  private done = 0;
  private ended = 0;

  constructor(
    chains: number,
    private readonly texts: number,
    private readonly tokens: number,
  ) {
    this.written = Array.from({ length: chains }, () => Array.from({ length: texts }, () => undefined));
    this.counts = this.written.map((list) => list.map(() => 0));
  }

  /** Sets how many tokens a text has. */
  count(chain: number, text: number, tokens: number): void {
    this.done += tokens - this.counts[chain]![text]!;
    this.counts[chain]![text] = tokens;
  }

  end(chain: number, text: number, written: WrittenText): void {
    this.count(chain, text, this.tokens);
    this.written[chain]![text] = written;
    while (this.ended < this.texts && this.written.every((list) => list[this.ended])) this.ended++;
  }

  /** How many texts from the first on have ended in every chain. */
  get complete(): number {
    return this.ended;
  }

  /** The part of the work that is done, from 0 to 1. */
  get fraction(): number {
    return this.done / (this.counts.length * this.texts * this.tokens);
  }

  /** The first texts of a chain; they must have ended. */
  first(chain: number, count: number): readonly WrittenText[] {
    return this.written[chain]!.slice(0, count).map((text) => text!);
  }
}

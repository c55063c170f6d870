/** Answers as they are shown: thoughts apart from the answer, dim in colours, else between lines that say so. */
import type { Part } from "ggsl/chat/answer.js";
import { visible } from "@ggsl/compiler/source/visible.js";
import { isTerminal } from "./turns.js";
import { usesColor } from "../terminal.js";

/** Around a thought. */
interface Marks {
  readonly open: string;
  readonly close: string;
}
const DIM: Marks = { open: "\x1b[2m", close: "\x1b[22m\n\n" };
const LINES: Marks = { open: "<think>\n", close: "\n</think>\n" };

export class ShownAnswer {
  private readonly marks = usesColor(process.stdout) ? DIM : LINES;
  private isThinking = false;
  /** What the answer is in the conversation. */
  reasoning = "";
  content = "";

  /** Anything was written. */
  get isBegun(): boolean {
    return this.reasoning !== "" || this.content !== "";
  }

  add(part: Part): void {
    if (part.part === "call") return;
    const isThought = part.part === "reasoning";
    if (isThought !== this.isThinking) this.write(isThought ? this.marks.open : this.marks.close);
    this.isThinking = isThought;
    if (isThought) this.reasoning += part.text;
    else this.content += part.text;
    this.write(isTerminal() ? visible(part.text) : part.text);
  }

  /** Ends a thought that is open. */
  end(): void {
    if (this.isThinking) this.write(this.marks.close.trimEnd());
    this.isThinking = false;
  }

  private write(text: string): void {
    process.stdout.write(text);
  }
}

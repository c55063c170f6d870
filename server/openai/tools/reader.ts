/** Calls of tools in the text of a model, in the form in which its chat template writes them. */
import { randomUUID } from "node:crypto";
import type { CallForm } from "./form.js";

/** A call as answers have it. */
export interface ToolCallText {
  /** Among the calls of the answer. */
  readonly index: number;
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What became known by a piece of text. */
export interface Read {
  readonly content: string;
  readonly calls: readonly ToolCallText[];
}

/** Reads a text piece by piece: what is no call is content. Text that may begin a call is held back. */
export class ToolReader {
  private held = "";
  /** At the beginning, and after a call: content only if other content comes after them. */
  private blanks = "";
  private isAtEdge = true;
  private count = 0;
  isFull = false;

  /** @param isParallel false: the text is over after its first call */
  constructor(
    private readonly form: CallForm,
    private readonly names: ReadonlySet<string>,
    private readonly isParallel: boolean,
  ) {}

  push(text: string): Read {
    this.held += text;
    let content = "";
    const calls: ToolCallText[] = [];
    while (!this.isFull) {
      const at = this.held.indexOf(this.form.mark);
      if (at < 0) {
        const kept = beginningAtEnd(this.held, this.form.mark);
        content += this.shown(this.take(this.held.length - kept));
        break;
      }
      content += this.shown(this.take(at));
      const call = this.form.read(this.held);
      if (call === "open") break;
      if (call === undefined || !this.names.has(call.name)) {
        // not a call: its first character is content
        content += this.shown(this.take(1));
        continue;
      }
      this.take(call.length);
      this.blanks = "";
      this.isAtEdge = true;
      calls.push({
        index: this.count++,
        id: `call_${randomUUID().replaceAll("-", "")}`,
        type: "function",
        function: { name: call.name, arguments: call.arguments },
      });
      if (!this.isParallel) this.isFull = true;
    }
    return { content, calls };
  }

  /** The end of the text: what was held back is content. */
  flush(): Read {
    const content = this.isFull ? "" : this.shown(this.take(this.held.length));
    return { content: this.count === 0 ? content + this.blanks : content, calls: [] };
  }

  /** What is content for certain: blanks at the beginning and after calls are none, unless other content follows. */
  private shown(text: string): string {
    const all = this.blanks + text;
    const isBlank = this.isAtEdge && all.trim() === "";
    this.blanks = isBlank ? all : "";
    this.isAtEdge = isBlank;
    return isBlank ? "" : all;
  }

  private take(length: number): string {
    const taken = this.held.slice(0, length);
    this.held = this.held.slice(length);
    return taken;
  }
}

/** How many of the last characters of a text may begin `mark`. */
function beginningAtEnd(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}

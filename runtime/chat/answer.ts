/** The parts of an answer: what is a thought, what is content, and what is a call of a tool. */
import { withoutMarks } from "./calls/controls.js";
import type { CallForm } from "./calls/form.js";
import { beginningAtEnd } from "./calls/literals.js";
import { ToolReader } from "./calls/reader.js";
import type { Tool } from "./messages.js";
import { joinedParts, type Part } from "./parts.js";
import type { PromptEnd, ReasoningForm } from "./reasoning/form.js";
import { ReasoningReader } from "./reasoning/reader.js";

export type { CallPart, Part } from "./parts.js";

interface AnswerOptions {
  readonly form: CallForm;
  readonly tools: readonly Tool[];
  /** False: the answer is over after its first call. */
  readonly isParallel: boolean;
  /** A grammar lets nothing but calls come: the beginning of one, where the text is cut, is no content. */
  readonly isCall?: boolean;
}

export interface ThoughtOptions {
  readonly form: ReasoningForm;
  /** What the prompt of the answer ends with. */
  readonly prompt: PromptEnd;
}

/** Reads an answer token by token. */
export class AnswerReader {
  private readonly calls: ToolReader | undefined;
  private readonly thoughts: ReasoningReader | undefined;
  private readonly marks: ReadonlyMap<number, string>;
  private readonly end: ContentEnd;
  private tokens = 0;

  /**
   * @param calls undefined if no tools are given: no text is a call
   * @param thoughts undefined for a model that does not think, or whose thoughts are content
   */
  constructor(calls: AnswerOptions | undefined, thoughts?: ThoughtOptions) {
    this.marks = new Map([...(thoughts?.form.marks ?? []), ...(calls?.form.marks ?? [])]);
    const byName = new Map(calls?.tools.map((tool) => [tool.function.name, tool]));
    this.calls = calls && new ToolReader(calls.form, byName, calls.isParallel, calls.isCall);
    this.thoughts = thoughts && new ReasoningReader(thoughts.form, thoughts.prompt);
    this.end = new ContentEnd(thoughts?.form.content.close ?? "");
  }

  /** Whether more text would not change the answer. */
  get isFull(): boolean {
    return this.calls?.isFull ?? false;
  }

  /** Whether the text ends in a call that is not complete. */
  get isCut(): boolean {
    return this.calls?.isWriting ?? false;
  }

  /** Tokens of thoughts, with the marks around them. */
  get reasoningTokens(): number {
    return this.tokens;
  }

  push({ text, token }: { readonly text: string; readonly token: number }): readonly Part[] {
    // marks may be control tokens, whose pieces have no text
    const written = text + (this.marks.get(token) ?? "");
    if (!this.thoughts) return this.contents(written);
    const wasThinking = this.thoughts.isThinking;
    const parts = this.thoughts.push(written);
    if (wasThinking || this.thoughts.isThinking) this.tokens++;
    return joinedParts(parts.flatMap((one) => (one.part === "content" ? this.contents(one.text) : one)));
  }

  /** The end of the text: what was held back. */
  flush(): readonly Part[] {
    const parts = (this.thoughts?.flush() ?? []).flatMap((one): readonly Part[] =>
      one.part === "content" ? this.contents(one.text) : [one],
    );
    const held = this.calls ? this.plain(this.calls.flush()) : [];
    return joinedParts([...parts, ...held, ...contentOf(this.end.flush())]);
  }

  private contents(text: string): readonly Part[] {
    return this.plain(this.calls ? this.calls.push(text) : [{ part: "content", text }]);
  }

  /** Parts without what ends contents, and without the characters that stand for control tokens. */
  private plain(parts: readonly Part[]): readonly Part[] {
    if (this.marks.size === 0 && this.end.close === "")
      return parts.filter((one) => one.part === "call" || one.text !== "");
    return parts.flatMap((one) => (one.part === "call" ? one : contentOf(this.end.push(one.text))));
  }
}

const contentOf = (text: string): readonly Part[] => {
  const shown = withoutMarks(text);
  return shown === "" ? [] : [{ part: "content", text: shown }];
};

/** Content without the mark that is at its end in some forms. */
class ContentEnd {
  private held = "";

  constructor(readonly close: string) {}

  push(text: string): string {
    if (this.close === "") return text;
    const all = this.held + text;
    const at = all.trimEnd().endsWith(this.close)
      ? all.lastIndexOf(this.close)
      : all.length - beginningAtEnd(all, this.close);
    this.held = all.slice(at);
    return all.slice(0, at);
  }

  flush(): string {
    const { held, close } = this;
    this.held = "";
    // also the beginning of one that is a control token
    return held.trimEnd() === close || withoutMarks(held.slice(0, 1)) === "" ? "" : held;
  }
}

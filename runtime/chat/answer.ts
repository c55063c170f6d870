/** The parts of an answer: what is content, and what is a call of a tool. */
import type { CallForm } from "./calls/form.js";
import { ToolReader, type Read } from "./calls/reader.js";
import type { Tool } from "./messages.js";

/** A part of a call: the first has its id and its name; the arguments of all parts in turn are a JSON object as text. */
export interface CallPart {
  /** Among the calls of the answer, from 0 on. */
  readonly index: number;
  /** Nine letters and digits. */
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
}

/** What a piece of text adds to an answer. Texts of the same part in turn are one text. */
export type Part =
  | { readonly part: "reasoning" | "content"; readonly text: string }
  | { readonly part: "call"; readonly call: CallPart };

export interface AnswerOptions {
  readonly form: CallForm;
  readonly tools: readonly Tool[];
  /** False: the answer is over after its first call. */
  readonly isParallel: boolean;
}

/** Reads an answer token by token. */
export class AnswerReader {
  private readonly calls: ToolReader | undefined;
  private readonly marks: CallForm["marks"];

  /** @param options undefined if no tools are given: all text is content */
  constructor(options: AnswerOptions | undefined) {
    this.marks = options?.form.marks ?? new Map();
    const byName = new Map(options?.tools.map((tool) => [tool.function.name, tool]));
    this.calls = options && new ToolReader(options.form, byName, options.isParallel);
  }

  /** Whether more text would not change the answer. */
  get isFull(): boolean {
    return this.calls?.isFull ?? false;
  }

  push({ text, token }: { readonly text: string; readonly token: number }): readonly Part[] {
    // marks of calls may be control tokens, whose pieces have no text
    return this.calls ? partsOf(this.calls.push(text + (this.marks.get(token) ?? ""))) : contentOf(text);
  }

  /** The end of the text: what was held back. */
  flush(): readonly Part[] {
    return this.calls ? partsOf(this.calls.flush()) : [];
  }
}

const contentOf = (text: string): readonly Part[] => (text === "" ? [] : [{ part: "content", text }]);

const partsOf = ({ content, calls }: Read): readonly Part[] => [
  ...contentOf(content),
  ...calls.map(({ index, id, function: { name, arguments: args } }): Part => ({
    part: "call",
    call: { index, id, name, arguments: args },
  })),
];

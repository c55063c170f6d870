/** A thought at the beginning of a text that is not to be longer than some tokens: then its end is written, whatever the chain picks. */
import * as is from "../core/check.js";
import { invalid, translated } from "../core/errors.js";
import { byteString, toBytes } from "../core/vocabulary.js";
import { incomplete } from "./output.js";
import type { NativeModel } from "../backends/native/binding.js";

export interface ThoughtLimit {
  /**
   * The most tokens of the thought, without what is around it.
   * @unit tokens
   */
  readonly most: number;
  /** What the thought begins with, at the end of the prompt or at the beginning of the text. */
  readonly open: string;
  /** What ends it, with the blanks that come after it: these tokens are written, control tokens among them. */
  readonly close: string;
}

const LIMIT: is.Checks<ThoughtLimit> = { most: is.integer(0), open: is.text, close: is.text };
const checkLimit = is.options(LIMIT);

export const thoughtLimit: is.Check = (value, name) => {
  is.someObject(value, name);
  checkLimit(value, name);
  const { most, open, close } = value as ThoughtLimit;
  is.integer(0)(most, `${name}.most`); // it has no default
  is.text(open, `${name}.open`);
  is.text(close, `${name}.close`);
  for (const [member, text] of Object.entries({ open, close }))
    if (text.trim() === "") throw invalid(`\`${name}.${member}\` must not be blank: a text has blanks everywhere`);
};

/** Tokens of a prompt in which a mark may be. */
const LAST = 64;

type ThoughtPhase = "before" | "in" | "after";

/** Where a text is in its thought, token by token. */
export class Thought {
  private readonly open: string;
  private readonly close: string;
  private readonly tokens: Int32Array;
  private place: ThoughtPhase = "before";
  /** Bytes as characters: all of them before the thought, the last ones in it. */
  private held = "";
  private count = 0;
  /** How many of the last tokens were written, once they are. */
  private written = 0;

  private readonly isBegun: boolean;

  /** @param prompt its tokens */
  constructor(
    private readonly limit: ThoughtLimit,
    private readonly model: NativeModel,
    prompt: Int32Array,
  ) {
    this.open = toBytes(limit.open.trim());
    this.close = toBytes(limit.close.trim());
    this.tokens = translated(() => model.tokenize(limit.close, false, true));
    const end = Array.from(prompt.subarray(-LAST), (token) => this.textOf(token)).join("");
    this.isBegun = end.trimEnd().endsWith(this.open);
    this.restart([]);
  }

  /** The token of the end that comes next; undefined if the chain decides. */
  next(): number | undefined {
    if (this.place !== "in" || this.count < this.limit.most) return undefined;
    if (this.written === 0 && !isWhole(this.held)) return undefined;
    return this.tokens[this.written];
  }

  accept(token: number): void {
    if (this.place === "after") return;
    const isWritten = token === this.next();
    this.held += this.textOf(token);
    if (this.place === "before") return this.begin();
    if (isWritten) {
      if (++this.written === this.tokens.length) this.place = "after";
      return;
    }
    this.count++;
    const length = this.close.length;
    if (this.held.includes(this.close)) this.place = "after";
    // a mark may go on in the next token, and so may a character
    else this.held = this.held.slice(-Math.max(length, 4));
  }

  /** The text has only these tokens. */
  restart(tokens: Iterable<number>): void {
    this.place = this.isBegun ? "in" : "before";
    this.held = "";
    this.count = this.written = 0;
    for (const token of tokens) this.accept(token);
  }

  private begin(): void {
    const text = this.held.trimStart();
    if (text.startsWith(this.open)) {
      this.place = "in";
      this.held = text.slice(this.open.length);
      if (this.held.trim() !== "") this.count = 1;
    } else if (!this.open.startsWith(text)) this.place = "after";
  }

  private textOf(token: number): string {
    return byteString(this.model.piece(token, true));
  }
}

/** Whether bytes do not end inside a character. */
const isWhole = (bytes: string): boolean =>
  incomplete(Uint8Array.from(bytes.slice(-3), (byte) => byte.charCodeAt(0))) === 0;

/** Calls of tools in the text of a model, in the form in which its chat template writes them. */
import { withoutMarks } from "./controls.js";
import type { CallForm, Found, ReadCall, Tools } from "./form.js";
import { beginningAtEnd, literalEnd } from "./literals.js";

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

/** Reads a text piece by piece: what is no call is content, as it is written. Text that may be of a call is held back. */
export class ToolReader {
  private held = "";
  /** At the beginning, and after a call: content only if other content comes after them. */
  private blanks = "";
  private isAtEdge = true;
  /** Whether what is held follows a call. */
  private isAfterCall = false;
  private readonly ids = new Set<string>();
  /** What ends calls, and its beginnings up to each of its marks, the longest first. */
  private readonly closes: readonly string[];
  isFull = false;

  /** @param isParallel false: the text is over after its first call */
  constructor(
    private readonly form: CallForm,
    private readonly tools: Tools,
    private readonly isParallel: boolean,
  ) {
    const { close } = form;
    const marks = [...close.matchAll(/[\]>\ufdd0-\ufdef]/g)].map(({ index }) => close.slice(0, index + 1));
    this.closes = [...new Set([...marks, close])].reverse();
  }

  push(text: string): Read {
    this.held += text;
    // a long call is not read again for each of its pieces
    if (this.held.length > LONG && !MAY_END.test(text)) return { content: "", calls: [] };
    let content = "";
    const calls: ToolCallText[] = [];
    while (!this.isFull) {
      const call = this.isAfterCall ? this.nextCall() : this.firstCall((part) => (content += this.shown(part)));
      if (call === "open") break;
      if (call === undefined) continue;
      this.take(call.end);
      this.blanks = "";
      this.isAtEdge = true;
      this.isAfterCall = true;
      calls.push(this.callOf(call));
      if (!this.isParallel) this.isFull = true;
    }
    return { content, calls };
  }

  /** The end of the text: what was held back is content, but for the marks after a call. */
  flush(): Read {
    if (this.isFull) return { content: "", calls: [] };
    if (this.isAfterCall) this.take(this.lengthOfClose() ?? this.held.length);
    const content = this.shown(this.take(this.held.length));
    return { content: this.ids.size === 0 ? content + withoutMarks(this.blanks) : content, calls: [] };
  }

  /** After the mark; undefined if there is none there: what comes before the next one is shown. */
  private firstCall(show: (text: string) => void): Found<ReadCall> {
    const { form, held } = this;
    const at = held.indexOf(form.mark);
    if (at < 0) {
      const kept = Math.max(beginningAtEnd(held, form.lead + form.mark), beginningAtEnd(held, form.mark));
      show(this.take(held.length - kept));
      return "open";
    }
    const begin = literalEnd(held, at, form.head);
    const call = typeof begin === "number" ? form.item.read(held, begin, this.tools) : begin;
    const isLed = form.lead !== "" && held.slice(0, at).endsWith(form.lead);
    if (call === undefined) {
      // not a call: its first character is content
      show(this.take(at + 1));
      return undefined;
    }
    const lead = isLed ? form.lead.length : 0;
    show(this.take(at - lead));
    // whether blanks are content is known with the call
    if (call === "open") return "open";
    this.take(lead);
    return { ...call, end: call.end - at };
  }

  /** Where a call is over: another one, or undefined, and text goes on. */
  private nextCall(): Found<ReadCall> {
    const { form, held } = this;
    const begin = form.between === undefined ? undefined : literalEnd(held, 0, form.between);
    const call = typeof begin === "number" ? form.item.read(held, begin, this.tools) : begin;
    if (call !== undefined) return call;
    const length = this.lengthOfClose();
    if (length === undefined) return "open";
    this.take(length);
    this.isAfterCall = false;
    return undefined;
  }

  /** How much of what follows a call is its end, of which the last marks may be missing; undefined if it may go on. */
  private lengthOfClose(): number | undefined {
    for (const close of this.closes) {
      const end = literalEnd(this.held, 0, close);
      if (end !== undefined) return end === "open" ? undefined : end;
    }
    return 0;
  }

  private callOf({ name, arguments: args, id: given }: ReadCall): ToolCallText {
    const index = this.ids.size;
    const id = given !== undefined && IDS.test(given) && !this.ids.has(given) ? given : newId();
    this.ids.add(id);
    return { index, id, type: "function", function: { name, arguments: args } };
  }

  /** What is content for certain: blanks at the beginning and after calls are none, unless other content follows. */
  private shown(text: string): string {
    const all = this.blanks + (this.form.marks.size === 0 ? text : withoutMarks(text));
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

/** Characters of a call that is open. */
const LONG = 512;
/** What calls end with: brackets, marks, and control tokens. */
const MAY_END = /[}\]>\ufdd0-\ufdef]/;

/** Some templates take no others. */
const IDS = /^[A-Za-z0-9]{9}$/;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => LETTERS[byte % LETTERS.length]).join("");

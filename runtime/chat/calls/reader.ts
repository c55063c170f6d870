/** Calls of tools in the text of a model, in the form in which its chat template writes them. */
import { joinedParts, type Part } from "../parts.js";
import { withoutMarks } from "./controls.js";
import type { BegunCall, CallForm, Found, ReadCall, Tools } from "./form.js";
import { JsonScan } from "./json.js";
import { beginningAtEnd, literalEnd } from "./literals.js";

/** A call whose arguments are being written. */
interface Writing {
  readonly index: number;
  readonly scan: JsonScan;
  /** The arguments are complete. */
  isOver: boolean;
}

/**
 * Reads a text piece by piece: what is no call is content, as it is written, with characters that stand for control tokens. Text that may
 * be of a call is held back until its name and the beginning of its arguments are there, where these are JSON as it is written; else
 * until all of it is.
 */
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
  private writing: Writing | undefined;
  isFull = false;

  /**
   * @param isParallel false: the text is over after its first call
   * @param isCall nothing but calls can come: the beginning of one is no content
   */
  constructor(
    private readonly form: CallForm,
    private readonly tools: Tools,
    private readonly isParallel: boolean,
    private readonly isCall = false,
  ) {
    const { close } = form;
    const marks = [...close.matchAll(/[\]>\ufdd0-\ufdef]/g)].map(({ index }) => close.slice(0, index + 1));
    this.closes = [...new Set([...marks, close])].reverse();
  }

  /** Whether a call has begun whose arguments are not complete. */
  get isWriting(): boolean {
    return this.writing !== undefined && !this.writing.isOver;
  }

  push(text: string): readonly Part[] {
    this.held += text;
    // a long call that is read as a whole is not read again for each of its pieces
    if (!this.writing && this.held.length > LONG && !MAY_END.test(text)) return [];
    const parts: Part[] = [];
    while (!this.isFull && this.step(parts));
    return joinedParts(parts);
  }

  /** The end of the text: what was held back is content, but for the marks after a call. */
  flush(): readonly Part[] {
    if (this.isFull || this.isWriting || this.isCall) return [];
    if (this.writing) {
      // what ends the call is not complete
      this.writing = undefined;
      this.held = "";
    }
    if (this.isAfterCall) this.take(this.lengthOfClose() ?? this.held.length);
    const content = this.shown(this.take(this.held.length));
    return contentOf(this.ids.size === 0 ? content + this.blanks : content);
  }

  /** Reads on; false if more text is needed. */
  private step(parts: Part[]): boolean {
    if (this.writing) return this.write(this.writing, parts);
    const call = this.isAfterCall ? this.nextCall() : this.firstCall(parts);
    if (call === "open") return false;
    if (call === undefined) return true;
    this.take(call.end);
    this.blanks = "";
    this.isAtEdge = true;
    this.isAfterCall = true;
    const index = this.ids.size;
    const id = this.idOf(call);
    const args = "arguments" in call ? call.arguments : "";
    parts.push({ part: "call", call: { index, id, name: call.name, arguments: args } });
    if ("arguments" in call) this.isFull = !this.isParallel;
    else this.writing = { index, scan: new JsonScan(), isOver: false };
    return true;
  }

  /** Arguments as they come, and what ends their call. */
  private write(writing: Writing, parts: Part[]): boolean {
    if (!writing.isOver) {
      const end = writing.scan.end(this.held);
      const text = withoutMarks(this.take(end ?? this.held.length));
      if (text !== "") parts.push({ part: "call", call: { index: writing.index, arguments: text } });
      if (end === undefined) return false;
      writing.isOver = true;
      this.isFull = !this.isParallel;
      return true;
    }
    const end = this.form.item.finish(this.held, 0);
    if (end === "open") return false;
    this.take(end ?? 0);
    this.writing = undefined;
    return true;
  }

  /** A call at a place: all of it, or its beginning. */
  private callAt(at: number): Found<ReadCall | BegunCall> {
    const { item } = this.form;
    const begun = item.begin(this.held, at, this.tools);
    return begun === "whole" ? item.read(this.held, at, this.tools) : begun;
  }

  /** After the mark; undefined if there is none there: what comes before the next one is shown. */
  private firstCall(parts: Part[]): Found<ReadCall | BegunCall> {
    const { form, held } = this;
    const show = (taken: string): void => {
      const text = this.shown(taken);
      if (text !== "") parts.push({ part: "content", text });
    };
    const at = held.indexOf(form.mark);
    if (at < 0) {
      const kept = Math.max(beginningAtEnd(held, form.lead + form.mark), beginningAtEnd(held, form.mark));
      show(this.take(held.length - kept));
      return "open";
    }
    const begin = literalEnd(held, at, form.head);
    const call = typeof begin === "number" ? this.callAt(begin) : begin;
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
  private nextCall(): Found<ReadCall | BegunCall> {
    const { form, held } = this;
    const begin = form.between === undefined ? undefined : literalEnd(held, 0, form.between);
    const call = typeof begin === "number" ? this.callAt(begin) : begin;
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

  private idOf({ id: given }: BegunCall): string {
    const id = given !== undefined && IDS.test(given) && !this.ids.has(given) ? given : newId();
    this.ids.add(id);
    return id;
  }

  /** What is content for certain: blanks at the beginning and after calls are none, unless other content follows. */
  private shown(text: string): string {
    const all = this.blanks + text;
    const isBlank = this.isAtEdge && withoutMarks(all).trim() === "";
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

const contentOf = (text: string): readonly Part[] => (text === "" ? [] : [{ part: "content", text }]);

/** Characters of a call that is open. */
const LONG = 512;
/** What calls end with: brackets, marks, and control tokens. */
const MAY_END = /[}\]>\ufdd0-\ufdef]/;

/** Some templates take no others. */
const IDS = /^[A-Za-z0-9]{9}$/;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => LETTERS[byte % LETTERS.length]).join("");

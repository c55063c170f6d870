/** A text that is read from left to right, and the errors in it. */
import { InputError, invalid } from "../../core/errors.js";
import { spend } from "../budget.js";
import { GRAMMAR_LIMITS } from "../limits.js";

export class Reader {
  at = 0;
  private parts = 0;
  private depth = 0;

  /** @param what the text is, such as "the grammar" */
  constructor(
    readonly text: string,
    private readonly what: string,
  ) {
    if (text.length > GRAMMAR_LIMITS.length)
      throw this.limit(`it has ${text.length} characters, expected at most ${GRAMMAR_LIMITS.length}`);
  }

  get isOver(): boolean {
    return this.at >= this.text.length;
  }

  /** The character here, "" at the end; `ahead`: one that comes later. */
  peek(ahead = 0): string {
    return this.text[this.at + ahead] ?? "";
  }

  /** Reads a text that may be here. */
  take(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Reads what a sticky pattern matches here; "" if nothing. */
  match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  /** Reads a character, which may be of two UTF-16 units. */
  character(): number {
    spend();
    const code = this.text.codePointAt(this.at)!;
    this.at += code > 0xffff ? 2 : 1;
    return code;
  }

  /** Counts a part of the grammar. */
  part(): void {
    spend();
    if (++this.parts > GRAMMAR_LIMITS.parts) throw this.limit(`it has more than ${GRAMMAR_LIMITS.parts} parts`);
  }

  /** Reads what is inside a group. */
  inside<T>(read: () => T): T {
    if (++this.depth > GRAMMAR_LIMITS.depth)
      throw this.limit(`its groups are nested deeper than ${GRAMMAR_LIMITS.depth} levels`);
    const result = read();
    this.depth--;
    return result;
  }

  /** Reads the bounds of a repetition, after its `{`; blanks may be between the parts with `isLoose`. */
  bounds(isLoose: boolean): { readonly min: number; readonly max: number } {
    const pattern = isLoose ? /^\s*(\d+)\s*(,?)\s*(\d*)\s*\}/ : /^(\d+)(,?)(\d*)\}/;
    const [found, first = "", comma, last = ""] = pattern.exec(this.text.slice(this.at, this.at + 100)) ?? [];
    if (found === undefined || (comma === "" && last !== ""))
      throw this.fault("expected the bounds of a repetition, such as `2,5}`");
    const min = Number(first);
    const max = comma === "" ? min : last === "" ? Infinity : Number(last);
    if (max < min) throw this.fault(`the maximum ${max} of a repetition is below its minimum ${min}`);
    this.checkRepetitions(min);
    this.at += found.length;
    return { min, max };
  }

  checkRepetitions(count: number): void {
    if (count > GRAMMAR_LIMITS.repetitions)
      throw this.limit(`a repetition has the bound ${count}, expected at most ${GRAMMAR_LIMITS.repetitions}`);
  }

  fault(message: string, at = this.at): InputError {
    const before = this.text.slice(0, at).split("\n");
    const place = before.length > 1 || this.text.includes("\n") ? `line ${before.length}, ` : "";
    return invalid(`${this.what} does not parse: ${place}column ${before.at(-1)!.length + 1}: ${message}`);
  }

  limit(message: string): InputError {
    return new InputError(`${this.what} exceeds a limit: ${message}`, { code: "LIMIT_EXCEEDED" });
  }
}

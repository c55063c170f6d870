/**
 * Reads regular expressions in JavaScript's form, as with the flag `u`; where that fails, as without it, since patterns are often not
 * written for it. A character is a code point in both.
 */
import type { InputError } from "../../core/errors.js";
import { Reader } from "../text/reader.js";
import type { Ranges } from "../text/rules.js";
import { inTexts, without } from "../regular/ranges.js";
import { inexpressible } from "./inexpressible.js";
import { CLASSES, NO_LINE_END, propertyRanges, WORD } from "./classes.js";
import { ANY_CHARACTER, END, START, wordBoundary, type Part } from "./syntax.js";

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const PUNCTUATION = "^$\\.*+?()[]{}|/";
/** No text is longer. */
const MOST_REPETITIONS = 2 ** 31 - 1;

interface PatternOptions {
  /** The flag `s`: `.` is also the end of a line. */
  readonly dotAll: boolean;
  /** What messages call the pattern. */
  readonly what: string;
}

/** Throws `InputError` with the column of a fault. */
export function readPattern(source: string, options: PatternOptions): Part {
  try {
    return new PatternReader(source, options, true).whole();
  } catch (strict) {
    if ((strict as InputError).code !== "INVALID_ARGUMENT") throw strict;
    try {
      return new PatternReader(source, options, false).whole();
    } catch {
      throw strict;
    }
  }
}

class PatternReader {
  private readonly in_: Reader;
  private readonly dot: Part;
  private readonly groups: number;
  private readonly hasNames: boolean;

  constructor(
    source: string,
    { dotAll, what }: PatternOptions,
    private readonly isStrict: boolean,
  ) {
    this.in_ = new Reader(source, what);
    this.dot = dotAll ? ANY_CHARACTER : { kind: "class", ranges: NO_LINE_END };
    const plain = source.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, "");
    this.hasNames = /\(\?<[^=!]/.test(plain);
    this.groups = plain.match(/\((?!\?(?!<[^=!]))/g)?.length ?? 0;
  }

  whole(): Part {
    const part = this.alternatives();
    if (!this.in_.isOver) throw this.in_.fault("this `)` closes nothing");
    return part;
  }

  private alternatives(): Part {
    const parts = [this.sequence()];
    while (this.in_.take("|")) parts.push(this.sequence());
    return parts.length === 1 ? parts[0]! : { kind: "any", parts };
  }

  private sequence(): Part {
    const parts: Part[] = [];
    while (!this.in_.isOver && !"|)".includes(this.in_.peek())) {
      this.in_.part();
      parts.push(this.assertion() ?? this.repeated(this.atom()));
    }
    return parts.length === 1 ? parts[0]! : { kind: "all", parts };
  }

  /** What takes no character, which only a look ahead without the flag `u` can be repeated of. */
  private assertion(): Part | undefined {
    const { in_: reader } = this;
    const begin = reader.at;
    const found = reader.match(/\^|\$|\\[bB]|\(\?<?[=!]/y);
    if (found === "") return undefined;
    if (found.startsWith("(")) {
      const isBehind = found.includes("<");
      const look: Part = { kind: "look", part: this.group(begin), isBehind, isNegated: found.endsWith("!") };
      if (!isBehind && !this.isStrict) return this.repeated(look);
      this.nothingToRepeat();
      return look;
    }
    this.nothingToRepeat();
    if (found === "^") return START;
    return found === "$" ? END : wordBoundary(WORD, found === "\\B");
  }

  private nothingToRepeat(): void {
    if (/^(?:[*+?]|\{\d+(?:,\d*)?\})/.test(this.in_.text.slice(this.in_.at, this.in_.at + 40)))
      throw this.in_.fault("expected something to repeat before this");
  }

  private repeated(part: Part): Part {
    const bounds = this.times();
    if (!bounds) return part;
    this.in_.take("?"); // the same texts match
    this.nothingToRepeat();
    return { kind: "repeat", part, ...bounds };
  }

  private times(): { readonly min: number; readonly max: number } | undefined {
    const { in_: reader } = this;
    if (reader.take("*")) return { min: 0, max: Infinity };
    if (reader.take("+")) return { min: 1, max: Infinity };
    if (reader.take("?")) return { min: 0, max: 1 };
    if (reader.peek() !== "{") return undefined;
    const begin = reader.at;
    const [, first, comma, last] = /^\{(\d+)(,?)(\d*)\}$/.exec(reader.match(/\{\d+(?:,\d*)?\}/y)) ?? [];
    if (first === undefined) {
      if (this.isStrict) throw reader.fault("expected the bounds of a repetition, such as `{2,5}`");
      return undefined;
    }
    const min = Number(first);
    const max = comma === "" ? min : last === "" ? Infinity : Number(last);
    if (max < min) throw reader.fault(`the maximum ${max} of a repetition is below its minimum ${min}`, begin);
    if (min > MOST_REPETITIONS)
      throw reader.limit(`a repetition has the bound ${min}, expected at most ${MOST_REPETITIONS}`);
    return { min, max: max > MOST_REPETITIONS ? Infinity : max };
  }

  private atom(): Part {
    const { in_: reader } = this;
    const begin = reader.at;
    if (reader.take("(")) {
      if (
        !reader.take("?:") &&
        reader.match(/\?<[\p{ID_Start}$_][\p{ID_Continue}$]*>/uy) === "" &&
        reader.peek() === "?"
      )
        throw reader.fault("expected `?:`, `?<name>`, `?=`, `?!`, `?<=` or `?<!` after `(`");
      return this.group(begin);
    }
    if (reader.take("[")) return this.characterClass(begin);
    if (reader.take(".")) return this.dot;
    if (reader.take("\\")) return this.escape();
    const next = reader.peek();
    if ("*+?".includes(next)) throw reader.fault("expected something to repeat before this");
    if (!this.isStrict && next === "{") this.nothingToRepeat();
    if (this.isStrict && "{}]".includes(next))
      throw reader.fault(`\`${next}\` here means itself only with a \`\\\` before it`);
    return one(reader.character());
  }

  /** What is inside of brackets, after what opens them. */
  private group(begin: number): Part {
    return this.in_.inside(() => {
      const part = this.alternatives();
      if (!this.in_.take(")")) throw this.in_.fault("this `(` is not closed", begin);
      return part;
    });
  }

  private escape(): Part {
    const { in_: reader } = this;
    const begin = reader.at - 1;
    const number = /^[1-9]\d*/.exec(reader.text.slice(reader.at, reader.at + 10))?.[0];
    if ((number !== undefined && Number(number) <= this.groups) || (this.hasNames && reader.peek() === "k"))
      throw inexpressible(reader.fault("a grammar cannot express a reference to a group", begin).message);
    const named = this.namedClass();
    return named ? { kind: "class", ranges: named } : one(this.escaped(false));
  }

  /** The class that is named after a `\`. */
  private namedClass(): Ranges | undefined {
    const { in_: reader } = this;
    const begin = reader.at - 1;
    const named = CLASSES[reader.peek()];
    if (named) {
      reader.at++;
      return named;
    }
    const property = reader.match(/[pP]\{[^}]*\}/y);
    if (property === "") return undefined;
    const ranges = propertyRanges(property.slice(2, -1));
    if (!ranges || !this.isStrict) throw reader.fault(`there is no property of characters \`\\${property}\``, begin);
    return property.startsWith("P") ? without(ranges) : ranges;
  }

  /** The character that is written after a `\`. */
  private escaped(isInClass: boolean): number {
    const { in_: reader } = this;
    const begin = reader.at - 1;
    const pair = reader.match(/u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y);
    if (pair !== "")
      return String.fromCharCode(Number.parseInt(pair.slice(1, 5), 16), Number.parseInt(pair.slice(7), 16)).codePointAt(
        0,
      )!;
    const hex =
      reader.match(/x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}/y) || (this.isStrict ? reader.match(/u\{[0-9a-fA-F]+\}/y) : "");
    if (hex !== "") {
      const character = Number.parseInt(hex.replace(/[{}]/g, "").slice(1), 16);
      if (character > 0x10ffff) throw reader.fault("expected a character up to 10ffff", begin);
      return character;
    }
    const control = reader.match(!this.isStrict && isInClass ? /c\w/y : /c[A-Za-z]/y);
    if (control !== "") return control.charCodeAt(1) % 32;
    if (!this.isStrict) {
      const octal = reader.match(/[0-3][0-7]{0,2}|[4-7][0-7]?/y);
      if (octal !== "") return Number.parseInt(octal, 8);
      // the `\` itself
      if (reader.peek() === "c") return 0x5c;
    } else if (reader.match(/0(?!\d)/y) !== "") return 0;
    const next = reader.peek();
    if (next === "") throw reader.fault("the pattern ends after `\\`", begin);
    const named = CONTROLS[next];
    if (named !== undefined) {
      reader.at++;
      return named;
    }
    if (!this.isStrict || PUNCTUATION.includes(next) || (isInClass && next === "-")) return reader.character();
    throw reader.fault(`unknown escape \`\\${next}\``, begin);
  }

  private characterClass(begin: number): Part {
    const { in_: reader } = this;
    const isNegated = reader.take("^");
    const ranges: (readonly [number, number])[] = [];
    const add = (member: number | Ranges): void => {
      if (typeof member === "number") ranges.push([member, member]);
      else for (const range of member) ranges.push(range);
    };
    while (!reader.take("]")) {
      if (reader.isOver) throw reader.fault("this `[` is not closed", begin);
      reader.part();
      const at = reader.at;
      const from = this.member();
      if (reader.peek() !== "-" || ["]", ""].includes(reader.peek(1))) {
        add(from);
        continue;
      }
      reader.at++;
      const to = this.member();
      if (typeof from === "number" && typeof to === "number" && from <= to) ranges.push([from, to]);
      else if (!this.isStrict && (typeof from !== "number" || typeof to !== "number")) [from, 0x2d, to].forEach(add);
      else throw reader.fault("expected a range from a character to the same or a later one", at);
    }
    return { kind: "class", ranges: isNegated ? without(ranges) : inTexts(ranges) };
  }

  private member(): number | Ranges {
    const { in_: reader } = this;
    if (!reader.take("\\")) return reader.character();
    if (reader.take("b")) return 8;
    return this.namedClass() ?? this.escaped(true);
  }
}

const one = (character: number): Part => ({ kind: "class", ranges: inTexts([[character, character]]) });

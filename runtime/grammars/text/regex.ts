/** Reads a regular expression in JavaScript's form with the flags `s` and `u`; the whole text must match. */
import { BLANKS, DIGITS, WORD } from "./classes.js";
import { Reader } from "./reader.js";
import { all, any, complement, LAST_CHARACTER, ROOT, text, type Item, type Ranges, type Rules } from "./rules.js";

/** The classes that a letter after `\` names. */
const CLASSES: Readonly<Record<string, Ranges>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: BLANKS,
  S: complement(BLANKS),
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const PUNCTUATION = "^$\\.*+?()[]{}|/-";

/** What has no form in a grammar. */
const UNSUPPORTED: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\(\?<?[=!]/y, "looking ahead or behind"],
  [/\\(?:[1-9]|k<)/y, "a reference to a group"],
  [/\\[bB]/y, "a boundary of words"],
  [/\\[pP]\{/y, "a property of characters"],
  [/\(\?[a-z-]+[:)]/y, "flags inside the pattern"],
];

/** Throws `InputError` with the column of a fault. */
export function readRegex(source: string): Rules {
  const reader = new RegexReader(new Reader(source, "the regular expression"));
  return new Map([[ROOT, reader.whole()]]);
}

class RegexReader {
  constructor(private readonly in_: Reader) {}

  whole(): Item {
    const item = this.alternatives(true);
    if (!this.in_.isOver) throw this.in_.fault("this `)` closes nothing");
    return item;
  }

  private alternatives(isTop: boolean): Item {
    const items = [this.sequence(isTop)];
    while (this.in_.take("|")) items.push(this.sequence(isTop));
    return any(items);
  }

  private sequence(isTop: boolean): Item {
    const items: Item[] = [];
    // the whole text matches anyway
    if (isTop) this.in_.take("^");
    while (!this.in_.isOver && !"|)".includes(this.in_.peek())) {
      if (isTop && /\$(?:\||$)/y.test(this.in_.text.slice(this.in_.at, this.in_.at + 2)) && this.in_.take("$"))
        continue;
      this.in_.part();
      items.push(this.repeated(this.atom()));
    }
    return all(items);
  }

  private repeated(item: Item): Item {
    const bounds = this.times();
    if (!bounds) return item;
    this.in_.take("?"); // the same texts match
    if (/[*+?]/.test(this.in_.peek() || " ")) throw this.in_.fault("expected something to repeat before this");
    return { kind: "repeat", item, ...bounds };
  }

  private times(): { readonly min: number; readonly max: number } | undefined {
    if (this.in_.take("*")) return { min: 0, max: Infinity };
    if (this.in_.take("+")) return { min: 1, max: Infinity };
    if (this.in_.take("?")) return { min: 0, max: 1 };
    if (!this.in_.take("{")) return undefined;
    const { min, max } = this.in_.bounds(false);
    if (max !== Infinity) this.in_.checkRepetitions(max);
    return { min, max };
  }

  private atom(): Item {
    const { in_: reader } = this;
    for (const [pattern, what] of UNSUPPORTED) {
      pattern.lastIndex = reader.at;
      if (pattern.test(reader.text)) throw reader.fault(`a grammar cannot express ${what}`);
    }
    const begin = reader.at;
    if (reader.take("(")) return this.group(begin);
    if (reader.take("[")) return this.characterClass(begin);
    if (reader.take(".")) return { kind: "class", ranges: [[1, LAST_CHARACTER]], isNegated: false };
    if (reader.take("\\")) return this.escape();
    const next = reader.peek();
    if ("^$".includes(next)) throw reader.fault(`\`${next}\` can only be at the ${next === "^" ? "beginning" : "end"}`);
    if ("*+?{}]".includes(next)) throw reader.fault(`\`${next}\` here means itself only with a \`\\\` before it`);
    return text([reader.character()]);
  }

  private group(begin: number): Item {
    return this.in_.inside(() => {
      if (!this.in_.take("?:") && this.in_.match(/\?<[A-Za-z_$][\w$]*>/y) === "" && this.in_.peek() === "?")
        throw this.in_.fault("expected `?:` or `?<name>` after `(`");
      const item = this.alternatives(false);
      if (!this.in_.take(")")) throw this.in_.fault("this `(` is not closed", begin);
      return item;
    });
  }

  private escape(): Item {
    const named = CLASSES[this.in_.peek()];
    if (named) {
      this.in_.at++;
      return { kind: "class", ranges: named, isNegated: false };
    }
    return text([this.escaped()]);
  }

  /** After a `\`. */
  private escaped(): number {
    const { in_: reader } = this;
    const begin = reader.at - 1;
    const hex = reader.match(/x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}/y).replace(/[{}]/g, "");
    if (hex !== "") return this.inText(Number.parseInt(hex.slice(1), 16), begin);
    const control = reader.match(/c[A-Za-z]/y);
    if (control !== "") return this.inText(control.charCodeAt(1) % 32, begin);
    const next = reader.peek();
    const named = CONTROLS[next];
    if (named !== undefined || (next !== "" && PUNCTUATION.includes(next))) {
      reader.at++;
      return named ?? next.codePointAt(0)!;
    }
    throw reader.fault(next === "" ? "the pattern ends after `\\`" : `unknown escape \`\\${next}\``, begin);
  }

  private inText(character: number, at: number): number {
    if (character === 0 || character > LAST_CHARACTER)
      throw this.in_.fault("expected a character from 1 to 10ffff", at);
    return character;
  }

  private characterClass(begin: number): Item {
    const { in_: reader } = this;
    const isNegated = reader.take("^");
    const ranges: (readonly [number, number])[] = [];
    while (!reader.take("]")) {
      if (reader.isOver) throw reader.fault("this `[` is not closed", begin);
      reader.part();
      const at = reader.at;
      const from = this.member();
      const isRange = reader.peek() === "-" && !["]", ""].includes(reader.peek(1));
      if (!isRange) {
        for (const one of typeof from === "number" ? [[from, from] as const] : from) ranges.push(one);
        continue;
      }
      reader.at++;
      const to = this.member();
      if (typeof from !== "number" || typeof to !== "number" || to < from)
        throw reader.fault("expected a range from a character to the same or a later one", at);
      ranges.push([from, to]);
    }
    const positive = isNegated ? complement(ranges) : ranges;
    if (positive.length === 0) throw reader.fault("no character is in this class", begin);
    return { kind: "class", ranges, isNegated };
  }

  private member(): number | Ranges {
    const { in_: reader } = this;
    if (!reader.take("\\")) return reader.character();
    if (/[pP]/.test(reader.peek()))
      throw reader.fault("a grammar cannot express a property of characters", reader.at - 1);
    if (reader.take("b")) return 8;
    const named = CLASSES[reader.peek()];
    if (!named) return this.escaped();
    reader.at++;
    return named;
  }
}

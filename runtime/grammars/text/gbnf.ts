/** Reads GBNF as llama.cpp does. */
import { spend } from "../budget.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import { Reader } from "./reader.js";
import { all, any, LAST_CHARACTER, ROOT, text, type Item, type Rules } from "./rules.js";

/** Throws `InputError` with the place of a fault. */
export const readGbnf = (source: string): Rules => new GbnfReader(new Reader(source, "the grammar")).rules();

const SPACE = /(?:[ \t]|#[^\r\n]*)*/y;
const SPACE_AND_LINES = /(?:[ \t\r\n]|#[^\r\n]*)*/y;
const NAME = /[a-zA-Z0-9-]+/y;
const DIGITS = /[0-9]+/y;
const TOKEN_TEXT = /[^>\r\n]*/y;
const LAST_TOKEN = 2 ** 31 - 1;
const ESCAPES: Readonly<Record<string, string>> = { t: "\t", r: "\r", n: "\n" };
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

class GbnfReader {
  /** Where each rule is first named. */
  private readonly named = new Map<string, number>();

  constructor(private readonly in_: Reader) {}

  rules(): Rules {
    const rules = new Map<string, Item>();
    this.space(true);
    while (!this.in_.isOver) {
      this.in_.part();
      const name = this.name();
      this.space(false);
      if (!this.in_.take("::=")) throw this.in_.fault("expected `::=` after the name of a rule");
      this.space(true);
      // as in llama.cpp, the last rule of a name counts
      rules.set(name, this.alternatives(false));
      if (rules.size > GRAMMAR_LIMITS.rules) throw this.in_.limit(`it has more than ${GRAMMAR_LIMITS.rules} rules`);
      if (!this.in_.isOver && !/[\r\n]/.test(this.in_.peek())) throw this.in_.fault("expected a new line or the end");
      this.space(true);
    }
    if (rules.size === 0) throw this.in_.fault("the grammar has no rules");
    if (!rules.has(ROOT)) throw this.in_.fault(`the grammar has no rule "${ROOT}"`);
    for (const [name, at] of this.named)
      if (!rules.has(name)) throw this.in_.fault(`the grammar has no rule "${name}"`, at);
    const recursive = leftRecursive(rules);
    if (recursive !== undefined) throw this.in_.fault(`the rule "${recursive}" is left-recursive`, 0);
    return rules;
  }

  private space(overLines: boolean): void {
    this.in_.match(overLines ? SPACE_AND_LINES : SPACE);
  }

  private name(): string {
    const name = this.in_.match(NAME);
    if (name === "") throw this.in_.fault("expected the name of a rule");
    return name;
  }

  private alternatives(isNested: boolean): Item {
    const items = [this.sequence(isNested)];
    while (this.in_.take("|")) {
      this.space(true);
      items.push(this.sequence(isNested));
    }
    return any(items);
  }

  private sequence(isNested: boolean): Item {
    const items: Item[] = [];
    for (;;) {
      const item = this.item();
      if (!item) break;
      this.space(isNested);
      this.in_.part();
      items.push(this.repetitions(item, isNested));
    }
    if (/[*+?{]/.test(this.in_.peek() || " ")) throw this.in_.fault("expected something to repeat before this");
    return all(items);
  }

  private repetitions(item: Item, isNested: boolean): Item {
    let result = item;
    for (;;) {
      const bounds = this.times();
      if (!bounds) return result;
      this.space(isNested);
      result = { kind: "repeat", item: result, ...bounds };
      // the limit is for all repetitions of one item together
      if (sizeOf(result) > MAX_SIZE) throw this.in_.limit("its repetitions are too large together");
    }
  }

  private times(): { min: number; max: number } | undefined {
    if (this.in_.take("*")) return { min: 0, max: Infinity };
    if (this.in_.take("+")) return { min: 1, max: Infinity };
    if (this.in_.take("?")) return { min: 0, max: 1 };
    if (!this.in_.take("{")) return undefined;
    const { min, max } = this.in_.bounds(true);
    // as in llama.cpp, a large maximum is none
    return { min, max: max > GRAMMAR_LIMITS.repetitions ? Infinity : max };
  }

  private item(): Item | undefined {
    const { in_: reader } = this;
    const next = reader.peek();
    if (reader.take('"')) return this.literal();
    if (reader.take("[")) return this.characterClass();
    if (next === "<" || next === "!") return this.token();
    if (reader.take(".")) return { kind: "class", ranges: [[1, LAST_CHARACTER]], isNegated: false };
    if (reader.take("(")) return this.group();
    if (!/[a-zA-Z0-9-]/.test(next)) return undefined;
    const at = reader.at;
    const name = this.name();
    if (!this.named.has(name)) this.named.set(name, at);
    return { kind: "rule", name };
  }

  /** By its number, as in `<[7]>`, or its text, as in `<think>`; any other one after `!`. */
  private token(): Item {
    const begin = this.in_.at;
    const isNegated = this.in_.take("!");
    if (!this.in_.take("<")) throw this.in_.fault("expected a token, such as `!<[7]>`, after `!`", begin);
    if (!this.in_.take("[")) return { kind: "token", token: this.tokenText(begin), isNegated };
    const digits = this.in_.match(DIGITS);
    if (digits === "") throw this.in_.fault("expected the number of a token");
    const token = Number(digits);
    if (token > LAST_TOKEN) throw this.in_.fault(`expected a token up to ${LAST_TOKEN}`, begin);
    if (!this.in_.take("]>")) throw this.in_.fault("expected `]>` after the number of a token");
    return { kind: "token", token, isNegated };
  }

  private tokenText(begin: number): string {
    const text = this.in_.match(TOKEN_TEXT);
    if (!this.in_.take(">")) throw this.in_.fault("this token has no closing `>`", begin);
    return `<${text}>`;
  }

  private group(): Item {
    const begin = this.in_.at - 1;
    return this.in_.inside(() => {
      this.space(true);
      const item = this.alternatives(true);
      if (!this.in_.take(")")) throw this.in_.fault("expected `)`", this.in_.isOver ? begin : this.in_.at);
      return item;
    });
  }

  private literal(): Item {
    const begin = this.in_.at - 1;
    const characters: number[] = [];
    while (!this.in_.take('"')) {
      if (this.in_.isOver) throw this.in_.fault('this text has no closing `"`', begin);
      characters.push(this.character());
    }
    return text(characters);
  }

  private characterClass(): Item {
    const begin = this.in_.at - 1;
    const isNegated = this.in_.take("^");
    const ranges: [number, number][] = [];
    while (!this.in_.take("]")) {
      if (this.in_.isOver) throw this.in_.fault("this class has no closing `]`", begin);
      const from = this.character();
      const isRange = this.in_.peek() === "-" && this.in_.peek(1) !== "]";
      if (isRange) this.in_.at++;
      if (this.in_.isOver) throw this.in_.fault("this class has no closing `]`", begin);
      const to = isRange ? this.character() : from;
      // a range that ends before it begins has no characters
      if (from <= to) ranges.push([from, to]);
    }
    // as in llama.cpp, a class without characters is an empty text
    return this.in_.text.slice(begin, this.in_.at).length === (isNegated ? 3 : 2)
      ? text([])
      : { kind: "class", ranges, isNegated };
  }

  private character(): number {
    const begin = this.in_.at;
    if (!this.in_.take("\\")) return this.in_.character();
    const escape = this.in_.peek();
    this.in_.at++;
    const digits = HEX_DIGITS[escape];
    if (digits !== undefined) {
      const hex = this.in_.text.slice(this.in_.at, this.in_.at + digits);
      if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex))
        throw this.in_.fault(`expected ${digits} hexadecimal digits after \`\\${escape}\``, begin);
      this.in_.at += digits;
      return this.checked(Number.parseInt(hex, 16), begin);
    }
    if (ESCAPES[escape] !== undefined) return ESCAPES[escape].codePointAt(0)!;
    if (escape !== "" && '\\"[]-'.includes(escape)) return escape.codePointAt(0)!;
    throw this.in_.fault(`unknown escape \`\\${escape}\``, begin);
  }

  private checked(character: number, at: number): number {
    if (character > LAST_CHARACTER) throw this.in_.fault("expected a character up to 10ffff", at);
    return character;
  }
}

/** What an item grows to when its repetitions are written out. */
const MAX_SIZE = 20_000;

function sizeOf(item: Item): number {
  spend();
  switch (item.kind) {
    case "repeat":
      return sizeOf(item.item) * Math.max(item.max === Infinity ? item.min : item.max, 1);
    case "all":
    case "any":
      return item.items.reduce((sum, part) => sum + sizeOf(part), 1);
    default:
      return 1;
  }
}

/** A rule that can begin with itself: llama.cpp's engine would not end, so it is refused in both. */
function leftRecursive(rules: Rules): string | undefined {
  const empty = new Set<string>();
  const backwards = [...rules].reverse();
  for (let before = -1; before !== empty.size;) {
    before = empty.size;
    for (const [name, item] of backwards) if (canBeEmpty(item, empty)) empty.add(name);
  }
  const first = new Map([...rules].map(([name, item]) => [name, [...beginnings(item, empty)]]));
  const done = new Set<string>();
  for (const start of rules.keys()) {
    // the rules on the way, and what is left of each
    const way: { readonly name: string; readonly rest: string[] }[] = [];
    const isOnWay = new Set<string>();
    const enter = (name: string): void => {
      way.push({ name, rest: [...first.get(name)!] });
      isOnWay.add(name);
    };
    if (!done.has(start)) enter(start);
    while (way.length > 0) {
      const { name, rest } = way.at(-1)!;
      const next = rest.pop();
      if (next === undefined) {
        done.add(name);
        isOnWay.delete(name);
        way.pop();
      } else if (isOnWay.has(next)) return next;
      else if (!done.has(next)) enter(next);
    }
  }
  return undefined;
}

function canBeEmpty(item: Item, empty: ReadonlySet<string>): boolean {
  spend();
  switch (item.kind) {
    case "text":
      return item.characters.length === 0;
    case "class":
    case "token":
      return false;
    case "rule":
      return empty.has(item.name);
    case "all":
      return item.items.every((part) => canBeEmpty(part, empty));
    case "any":
      return item.items.some((part) => canBeEmpty(part, empty));
    case "repeat":
      return item.min === 0 || canBeEmpty(item.item, empty);
    default:
      throw new TypeError(`expected an item that GBNF has, found "${item.kind}"`);
  }
}

/** The rules that an item can begin with. */
function beginnings(item: Item, empty: ReadonlySet<string>): Set<string> {
  const found = beginningsOf(item, empty);
  spend(1 + found.size);
  return found;
}

function beginningsOf(item: Item, empty: ReadonlySet<string>): Set<string> {
  switch (item.kind) {
    case "rule":
      return new Set([item.name]);
    case "any":
      return new Set(item.items.flatMap((part) => [...beginnings(part, empty)]));
    case "repeat":
      return beginnings(item.item, empty);
    case "all": {
      const found = new Set<string>();
      for (const part of item.items) {
        for (const name of beginnings(part, empty)) found.add(name);
        if (!canBeEmpty(part, empty)) break;
      }
      return found;
    }
    default:
      return new Set();
  }
}

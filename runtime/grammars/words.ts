/** Rules as the table of nodes that the engine reads (native/grammar/program.h), in words. */
import { show } from "@ggsl/compiler/core/show.js";
import { invalid } from "../core/errors.js";
import { spend } from "./budget.js";
import { complement, normalized, ROOT, type Item, type Ranges, type Rules } from "./text/rules.js";

const VERSION = 1;
const ENDLESS = 0xffffffff;
const NONE = 0xffffffff;

const encoder = new TextEncoder();

/** In the order of `NodeKind` in native/grammar/program.h. */
const enum Kind {
  text,
  characters,
  all,
  any,
  repeat,
  rule,
  intersection,
  complement,
  members,
  tokens,
  mark,
}

/** Nodes, and the tokens that they name. */
export interface Table {
  readonly words: Uint32Array;
  readonly tokens: readonly NamedToken[];
}

interface NamedToken {
  /** The place of its word. */
  readonly at: number;
  /** Its number or its text. */
  readonly token: number | string;
}

/** What the tokens of a table are looked up in. */
export interface Tokens {
  readonly size: number;
  /** Undefined for a text that no token has. */
  tokenNamed(name: string): number | undefined;
}

/** @param names of the parts that are marked, by the numbers of their marks */
export function tableOf(rules: Rules, names: readonly string[] = []): Table {
  return new Writer(rules, names).whole();
}

/** The words for a vocabulary. Throws `InputError` for a token that it has not. */
export function wordsFor({ words, tokens }: Table, vocabulary: Tokens): Uint32Array {
  if (tokens.length === 0) return words;
  const whole = words.slice();
  for (const { at, token } of tokens) {
    const found = typeof token === "string" ? vocabulary.tokenNamed(token) : token;
    if (found === undefined || found >= vocabulary.size)
      throw invalid(
        `the grammar names the token ${typeof token === "string" ? show(token) : `[${token}]`}, which the vocabulary of ${vocabulary.size} tokens has not`,
      );
    whole[at] = found;
  }
  return whole;
}

const count = (value: number): number => (value === Infinity ? ENDLESS : value);

class Writer {
  private readonly words: number[] = [VERSION, 0, 0];
  private nodes = 0;
  /** Texts and classes by their words. */
  private readonly known = new Map<string, number>();
  private readonly rules = new Map<string, number>();
  private readonly written = new Map<Item, number>();
  /** Where the rules' nodes are named, before these are written. */
  private readonly open: { readonly at: number; readonly name: string }[] = [];
  private readonly tokens: NamedToken[] = [];

  constructor(
    private readonly given: Rules,
    private readonly names: readonly string[],
  ) {}

  whole(): Table {
    const root = this.item({ kind: "rule", name: ROOT });
    const bodies = new Map<string, number>();
    // rules that are found on the way are added to it
    for (const name of this.rules.keys()) bodies.set(name, this.item(this.given.get(name)!));
    for (const { at, name } of this.open) this.words[at] = bodies.get(name)!;
    [this.words[1], this.words[2]] = [this.nodes, root];
    return { words: Uint32Array.from(this.words), tokens: this.tokens };
  }

  private item(item: Item): number {
    spend();
    const before = this.written.get(item);
    if (before !== undefined) return before;
    const node = this.fresh(item);
    this.written.set(item, node);
    return node;
  }

  private fresh(item: Item): number {
    switch (item.kind) {
      case "text":
        return this.text(item.characters);
      case "class":
        return this.class(item.isNegated ? complement(item.ranges) : normalized(item.ranges));
      case "rule":
        return this.rule(item.name);
      case "all":
        return this.list(Kind.all, item.items);
      case "any":
        return this.list(Kind.any, item.items);
      case "repeat":
        return this.node([Kind.repeat, this.item(item.item), count(item.min), count(item.max)]);
      case "intersection":
        return this.list(Kind.intersection, item.items);
      case "complement":
        return this.node([Kind.complement, this.item(item.item)]);
      case "members":
        return this.members(item);
      case "token":
        return this.token(item);
      case "mark":
        return this.node([Kind.mark, this.item(item.item), this.names.indexOf(item.name)]);
    }
  }

  private text(characters: readonly number[]): number {
    let text = "";
    for (const character of characters) text += String.fromCodePoint(character);
    const bytes = encoder.encode(text);
    const words = [Kind.text, bytes.length];
    for (let i = 0; i < bytes.length; i += 4)
      words.push((bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)) >>> 0);
    return this.shared(words);
  }

  private class(ranges: Ranges): number {
    return this.shared([Kind.characters, ranges.length, ...ranges.flat()]);
  }

  private members({
    members,
    separator,
    order,
    others,
    min,
    max,
  }: Extract<Item, { readonly kind: "members" }>): number {
    const nodes = members.map(({ item, isRequired }) => 2 * this.item(item) + Number(isRequired));
    const mark = this.item(separator);
    const other = others ? this.item(others) : NONE;
    const flags = Number(order === "declared");
    return this.node([Kind.members, flags, mark, other, count(min), count(max), nodes.length, ...nodes]);
  }

  private token({ token, isNegated }: Extract<Item, { readonly kind: "token" }>): number {
    const words = [Kind.tokens, Number(isNegated), 1];
    this.tokens.push({ at: this.words.length + words.length, token });
    return this.node([...words, 0]);
  }

  private list(kind: Kind, items: readonly Item[]): number {
    const nodes = items.map((item) => this.item(item));
    return nodes.length === 1 ? nodes[0]! : this.node([kind, nodes.length, ...nodes]);
  }

  private rule(name: string): number {
    const before = this.rules.get(name);
    if (before !== undefined) return before;
    const node = this.nodes++;
    this.open.push({ at: this.words.length + 1, name });
    this.words.push(Kind.rule, 0);
    this.rules.set(name, node);
    return node;
  }

  private node(words: readonly number[]): number {
    for (const word of words) this.words.push(word);
    return this.nodes++;
  }

  /** Texts and classes of the same characters are there once; the engine knows other nodes that are equal. */
  private shared(words: readonly number[]): number {
    const key = words.join();
    let node = this.known.get(key);
    if (node === undefined) this.known.set(key, (node = this.node(words)));
    return node;
  }
}

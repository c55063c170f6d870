/**
 * A reference of what grammars mean: whether a text matches rules, or is the beginning of one that does. Regular parts are read by
 * derivatives, recursion and members by all stacks at once, which share their callers (as in Scott and Johnstone's GLL). It is
 * written to be clear, not fast; the regular parts are compared with JavaScript's regular expressions, the others with lists of texts.
 */
import { Regular, type Node } from "../../runtime/grammars/regular/regular.js";
import { ROOT, type Item, type Rules } from "../../runtime/grammars/text/rules.js";

type Members = Item & { readonly kind: "members" };

/** A part that is still to come. */
type Part =
  | { readonly kind: "regular"; readonly node: Node }
  | { readonly kind: "item"; readonly item: Item }
  | { readonly kind: "repeat"; readonly item: Item; readonly min: number; readonly max: number }
  /** Members of which some have come; `used` are their indices, or all below `next` in the declared order. */
  | {
      readonly kind: "members";
      readonly of: Members;
      readonly used: string;
      readonly next: number;
      readonly count: number;
    };

interface Parts {
  readonly id: number;
  readonly part: Part;
  readonly rest: Parts | undefined;
}

/** A rule that is being read, and what follows it for all who wait for it. */
interface Call {
  readonly id: number;
  readonly begin: number;
  readonly waiting: Thread[];
  hasEnded: boolean;
}

interface Thread {
  readonly parts: Parts | undefined;
  readonly call: Call;
}

export interface Matcher {
  matches(text: string): boolean;
  /** Whether the text is the beginning of one that matches, or matches itself. */
  begins(text: string): boolean;
}

export const matches = (rules: Rules, text: string): boolean => matcher(rules).matches(text);
export const prefixes = (rules: Rules, text: string): boolean => matcher(rules).begins(text);

export function matcher(rules: Rules): Matcher {
  const reader = new Reading(rules);
  return { matches: (text) => reader.read(text).isWhole, begins: (text) => reader.read(text).canGoOn() };
}

class Reading {
  private readonly regular = new Regular();
  private readonly recursive: ReadonlySet<string>;
  private readonly regularItems = new Map<Item, boolean>();
  private readonly productive: ReadonlySet<string>;
  private readonly lists = new Map<string, Parts>();
  private readonly numbers = new Map<unknown, number>();
  private callCount = 0;

  constructor(private readonly rules: Rules) {
    this.recursive = recursiveRules(rules);
    this.productive = this.productiveRules();
  }

  read(text: string): { readonly isWhole: boolean; readonly canGoOn: () => boolean } {
    this.lists.clear();
    const root = this.call(0);
    let threads = this.closure([{ parts: this.before(this.rule(ROOT), undefined), call: root }], 0);
    let position = 0;
    for (const character of text) {
      position++;
      root.hasEnded = false;
      const code = character.codePointAt(0)!;
      const next = threads.flatMap(({ parts, call }) => {
        const node = this.regular.derivative((parts!.part as Part & { kind: "regular" }).node, code);
        return node.kind === "none" ? [] : [{ parts: this.list({ kind: "regular", node }, parts!.rest), call }];
      });
      threads = this.closure(next, position);
    }
    const isWhole = root.hasEnded;
    return { isWhole, canGoOn: () => isWhole || this.canEnd(threads, root) };
  }

  private rule(name: string): Item {
    const item = this.rules.get(name);
    if (!item) throw new Error(`no rule "${name}"`);
    return item;
  }

  private call(begin: number): Call {
    return { id: this.callCount++, begin, waiting: [], hasEnded: false };
  }

  private number(value: unknown): number {
    const known = this.numbers.get(value) ?? this.numbers.size;
    this.numbers.set(value, known);
    return known;
  }

  private list(part: Part, rest: Parts | undefined): Parts {
    const key = `${this.keyOf(part)} ${rest?.id ?? ""}`;
    const known = this.lists.get(key) ?? { id: this.lists.size, part, rest };
    this.lists.set(key, known);
    return known;
  }

  private keyOf(part: Part): string {
    switch (part.kind) {
      case "regular":
        return `n${part.node.id}`;
      case "item":
        return `i${this.number(part.item)}`;
      case "repeat":
        return `r${this.number(part.item)},${part.min},${part.max}`;
      case "members":
        return `m${this.number(part.of)},${part.used},${part.next},${part.count}`;
    }
  }

  /** The item before other parts. */
  private before(item: Item, rest: Parts | undefined): Parts {
    return this.list(
      this.isRegular(item) ? { kind: "regular", node: this.nodeOf(item) } : { kind: "item", item },
      rest,
    );
  }

  private nodeOf(item: Item): Node {
    return this.regular.of(item, (name) => this.nodeOf(this.rule(name)));
  }

  private isRegular(item: Item): boolean {
    const known = this.regularItems.get(item);
    if (known !== undefined) return known;
    const is =
      item.kind === "rule"
        ? !this.recursive.has(item.name) && this.isRegular(this.rule(item.name))
        : item.kind !== "members" && partsOf(item).every((one) => this.isRegular(one));
    if (!is && (item.kind === "intersection" || item.kind === "complement"))
      throw new Error(`expected an ${item.kind} of regular items`);
    this.regularItems.set(item, is);
    return is;
  }

  /** All threads whose next part is regular, and the calls that have ended here. */
  private closure(begin: readonly Thread[], position: number): Thread[] {
    const seen = new Set<string>();
    const waiting: Thread[] = [];
    const result: Thread[] = [];
    const calls = new Map<string, Call>();
    const add = (parts: Parts | undefined, call: Call): void => {
      const key = `${parts?.id ?? ""} ${call.id}`;
      if (seen.has(key)) return;
      seen.add(key);
      waiting.push({ parts, call });
    };
    for (const { parts, call } of begin) add(parts, call);
    for (let thread = waiting.pop(); thread; thread = waiting.pop()) {
      const { parts, call } = thread;
      if (!parts) {
        if (call.begin === position || call.waiting.length === 0) call.hasEnded = true;
        for (const after of call.waiting) add(after.parts, after.call);
        continue;
      }
      const { part, rest } = parts;
      if (part.kind === "regular") {
        result.push(thread);
        if (part.node.isNullable) add(rest, call);
      } else if (part.kind === "item" && part.item.kind === "rule") {
        const { name } = part.item;
        const known = calls.get(name);
        const called = known ?? this.call(position);
        calls.set(name, called);
        called.waiting.push({ parts: rest, call });
        if (!known) add(this.before(this.rule(name), undefined), called);
        else if (called.hasEnded) add(rest, call);
      } else for (const next of this.expanded(part, rest)) add(next, call);
    }
    return result;
  }

  private expanded(part: Part, rest: Parts | undefined): (Parts | undefined)[] {
    if (part.kind === "repeat") {
      const { item, min, max } = part;
      const again: Part = { kind: "repeat", item, min: Math.max(min - 1, 0), max: max - 1 };
      return [...(min === 0 ? [rest] : []), ...(max > 0 ? [this.before(item, this.list(again, rest))] : [])];
    }
    if (part.kind === "members") return this.expandedMembers(part, rest);
    if (part.kind === "regular") return [];
    const { item } = part;
    switch (item.kind) {
      case "all":
        return [item.items.reduceRight<Parts | undefined>((after, one) => this.before(one, after), rest)];
      case "any":
        return item.items.map((one) => this.before(one, rest));
      case "repeat":
        return [this.list({ kind: "repeat", item: item.item, min: item.min, max: item.max }, rest)];
      case "members":
        return [this.list({ kind: "members", of: item, used: "", next: 0, count: 0 }, rest)];
      default:
        throw new Error(`a part of the kind ${item.kind} is regular`);
    }
  }

  private expandedMembers(part: Part & { readonly kind: "members" }, rest: Parts | undefined): (Parts | undefined)[] {
    const { of, used, next, count } = part;
    const { members, separator, order, others, min, max } = of;
    const isUsed = new Set(used === "" ? [] : used.split(" ").map(Number));
    const left = [...members.keys()].filter((i) => i >= next && !isUsed.has(i));
    const isNeeded = left.some((i) => members[i]!.isRequired);
    const one = (item: Item, after: Partial<typeof part>): Parts => {
      const begin = this.before(item, this.list({ ...part, count: count + 1, ...after }, rest));
      return count === 0 ? begin : this.before(separator, begin);
    };
    const result: (Parts | undefined)[] = [];
    if (!isNeeded && count >= min && count <= max) result.push(rest);
    if (count >= max) return result;
    if (order === "any") {
      const withIndex = (i: number): string => [...isUsed, i].sort((a, b) => a - b).join(" ");
      for (const i of left) result.push(one(members[i]!.item, { used: withIndex(i) }));
      if (others) result.push(one(others, {}));
      return result;
    }
    for (const i of left) {
      result.push(one(members[i]!.item, { next: i + 1 }));
      if (members[i]!.isRequired) break;
    }
    if (others && !isNeeded) result.push(one(others, { next: members.length }));
    return result;
  }

  private canEnd(threads: readonly Thread[], root: Call): boolean {
    const seen = new Set<string>();
    const waiting = [...threads];
    for (let thread = waiting.pop(); thread; thread = waiting.pop()) {
      const { parts, call } = thread;
      const key = `${parts?.id ?? ""} ${call.id}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (!this.areProductive(parts)) continue;
      if (call === root) return true;
      waiting.push(...call.waiting);
    }
    return false;
  }

  private areProductive(parts: Parts | undefined): boolean {
    for (let list = parts; list; list = list.rest) if (!this.isProductive(list.part)) return false;
    return true;
  }

  private isProductive(part: Part): boolean {
    switch (part.kind) {
      case "regular":
        return !this.regular.isEmpty(part.node);
      case "item":
        return this.hasText(part.item, this.productive);
      case "repeat":
        return part.min === 0 || this.hasText(part.item, this.productive);
      case "members": {
        const used = new Set(part.used === "" ? [] : part.used.split(" ").map(Number));
        return this.membersHaveText(part.of, this.productive, (i) => i >= part.next && !used.has(i), part.count);
      }
    }
  }

  /** Whether any text matches, where these rules have one. */
  private hasText(item: Item, productive: ReadonlySet<string>): boolean {
    if (this.isRegular(item)) return !this.regular.isEmpty(this.nodeOf(item));
    switch (item.kind) {
      case "rule":
        return productive.has(item.name);
      case "all":
        return item.items.every((one) => this.hasText(one, productive));
      case "any":
        return item.items.some((one) => this.hasText(one, productive));
      case "repeat":
        return item.min === 0 || this.hasText(item.item, productive);
      case "members":
        return this.membersHaveText(item, productive, () => true, 0);
      default:
        throw new Error(`a part of the kind ${item.kind} is regular`);
    }
  }

  private membersHaveText(
    { members, separator, others, min, max }: Members,
    productive: ReadonlySet<string>,
    isLeft: (index: number) => boolean,
    count: number,
  ): boolean {
    const left = members.filter((_, i) => isLeft(i));
    const needed = left.filter(({ isRequired }) => isRequired);
    if (!needed.every(({ item }) => this.hasText(item, productive))) return false;
    const total = Math.max(min, count + needed.length);
    if (total > max) return false;
    if (total > Math.max(count, 1) && !this.hasText(separator, productive)) return false;
    if (others && this.hasText(others, productive)) return true;
    return count + left.filter(({ item }) => this.hasText(item, productive)).length >= total;
  }

  private productiveRules(): ReadonlySet<string> {
    const found = new Set<string>();
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const [name, item] of this.rules) if (!found.has(name) && this.hasText(item, found)) found.add(name);
    }
    return found;
  }
}

function partsOf(item: Item): readonly Item[] {
  switch (item.kind) {
    case "all":
    case "any":
    case "intersection":
      return item.items;
    case "repeat":
    case "complement":
      return [item.item];
    case "members":
      return [...item.members.map((member) => member.item), item.separator, ...(item.others ? [item.others] : [])];
    default:
      return [];
  }
}

/** The rules that can come in themselves. */
function recursiveRules(rules: Rules): ReadonlySet<string> {
  const namesIn = (item: Item): string[] => (item.kind === "rule" ? [item.name] : partsOf(item).flatMap(namesIn));
  const direct = new Map([...rules].map(([name, item]) => [name, new Set(namesIn(item))]));
  return new Set(
    [...rules.keys()].filter((start) => {
      const reached = new Set(direct.get(start));
      // a set visits what is added on the way
      for (const name of reached) for (const next of direct.get(name) ?? []) reached.add(next);
      return reached.has(start);
    }),
  );
}

/**
 * Which characters can follow each rule. XGrammar decides tokens that cross the end of a rule beforehand where a lookahead says what
 * follows; without one it tries each of them for each mask.
 */
import { spend } from "../budget.js";
import { complement, normalized, withoutForm, type Item, type Ranges, type Rules } from "./rules.js";

const FIRST_WIDE = 0x80;
/** A bit for each ASCII character, and one for all others. */
type Characters = bigint;
const WIDE = 1n << BigInt(FIRST_WIDE);

interface First {
  readonly characters: Characters;
  /** Whether the item can be empty. */
  readonly isEmpty: boolean;
}

function charactersOf(ranges: Ranges): Characters {
  let result = 0n;
  for (const [from, to] of normalized(ranges)) {
    const last = Math.min(to, FIRST_WIDE - 1);
    if (from <= last) result |= (1n << BigInt(last + 1)) - (1n << BigInt(from));
    if (to >= FIRST_WIDE) result |= WIDE;
  }
  return result;
}

/** As a class; it has all characters above ASCII or none. */
function rangesOf(characters: Characters): Ranges {
  spend(FIRST_WIDE);
  const single = Array.from({ length: FIRST_WIDE }, (_, i) => i).filter((i) => (characters >> BigInt(i)) & 1n);
  return normalized([
    ...single.map((i) => [i, i] as const),
    ...((characters & WIDE) === 0n ? [] : [[FIRST_WIDE, 0x10ffff] as const]),
  ]);
}

const sequences = (item: Item): (readonly Item[])[] =>
  (item.kind === "any" ? item.items : [item]).map((one) => (one.kind === "all" ? one.items : [one]));

function namesIn(item: Item): string[] {
  spend();
  if (item.kind === "rule") return [item.name];
  if (item.kind === "repeat") return namesIn(item.item);
  return item.kind === "all" || item.kind === "any" ? item.items.flatMap(namesIn) : [];
}

function listOf(lists: Map<string, string[]>, name: string): string[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

/** Takes a step for each rule, and again for those that a step names. */
function settle(rules: Rules, step: (name: string, item: Item) => readonly string[]): void {
  const waiting = new Set(rules.keys());
  // a set visits what is added on the way
  for (const name of waiting) {
    waiting.delete(name);
    for (const next of step(name, rules.get(name)!)) waiting.add(next);
  }
}

class Follow {
  private readonly first = new Map<string, First>();
  private readonly classes = new Map<Item, Characters>();
  readonly after = new Map<string, Characters>();

  constructor(rules: Rules) {
    const users = new Map<string, string[]>();
    for (const [name, item] of rules) for (const used of new Set(namesIn(item))) listOf(users, used).push(name);
    settle(rules, (name, item) => (this.addFirst(name, this.firstOf(item)) ? (users.get(name) ?? []) : []));
    settle(rules, (name, item) => sequences(item).flatMap((parts) => this.addAfter(name, parts)));
  }

  /** Whether that is more than before. */
  private addFirst(name: string, { characters, isEmpty }: First): boolean {
    const before = this.first.get(name);
    this.first.set(name, { characters, isEmpty });
    return before?.characters !== characters || before.isEmpty !== isEmpty;
  }

  firstOf(item: Item): First {
    spend();
    switch (item.kind) {
      case "text":
        if (item.characters.length === 0) return { characters: 0n, isEmpty: true };
        return { characters: this.ofClass(item, [[item.characters[0]!, item.characters[0]!]]), isEmpty: false };
      case "class":
        return {
          characters: this.ofClass(item, item.isNegated ? complement(item.ranges) : item.ranges),
          isEmpty: false,
        };
      case "rule":
        return this.first.get(item.name) ?? { characters: 0n, isEmpty: false };
      case "repeat": {
        const { characters, isEmpty } = this.firstOf(item.item);
        return { characters, isEmpty: isEmpty || item.min === 0 };
      }
      case "all":
        return this.firstOfAll(item.items);
      case "any": {
        const all = item.items.map((one) => this.firstOf(one));
        return {
          characters: all.reduce((sum, { characters }) => sum | characters, 0n),
          isEmpty: all.some(({ isEmpty }) => isEmpty),
        };
      }
      default:
        return withoutForm(item);
    }
  }

  private ofClass(item: Item, ranges: Ranges): Characters {
    const known = this.classes.get(item) ?? charactersOf(ranges);
    this.classes.set(item, known);
    return known;
  }

  firstOfAll(items: readonly Item[]): First {
    let characters = 0n;
    for (const item of items) {
      const first = this.firstOf(item);
      characters |= first.characters;
      if (!first.isEmpty) return { characters, isEmpty: false };
    }
    return { characters, isEmpty: true };
  }

  /** The rules that more can follow than before. */
  private addAfter(name: string, parts: readonly Item[]): string[] {
    const changed: string[] = [];
    let next = this.after.get(name) ?? 0n;
    for (const part of [...parts].reverse()) {
      const first = this.firstOf(part);
      const inner = part.kind === "repeat" ? part.item : part;
      if (inner.kind === "rule") {
        const before = this.after.get(inner.name) ?? 0n;
        const after = before | next | (part.kind === "repeat" ? first.characters : 0n);
        if (after !== before) {
          this.after.set(inner.name, after);
          changed.push(inner.name);
        }
      }
      next = first.isEmpty ? next | first.characters : first.characters;
    }
    return changed;
  }
}

/**
 * A class of the characters that can follow, for each rule that XGrammar finds no better lookahead for: it takes what follows in
 * the same sequence, if the rule is used in one place, and not at the end.
 * @param rules as `flat` leaves them
 */
export function lookaheads(rules: Rules): ReadonlyMap<string, Ranges> {
  const follow = new Follow(rules);
  const uses = new Map<string, number>();
  const isWeak = new Set<string>();
  for (const [name, item] of rules)
    for (const parts of sequences(item)) {
      let isEmpty = true;
      for (const [i, part] of [...parts.entries()].reverse()) {
        const inner = part.kind === "repeat" ? part.item : part;
        const isItsOwnEnd = i === parts.length - 1 && inner.kind === "rule" && inner.name === name;
        if (inner.kind === "rule" && !isItsOwnEnd) {
          uses.set(inner.name, (uses.get(inner.name) ?? 0) + 1);
          if (part.kind === "repeat" || isEmpty) isWeak.add(inner.name);
        }
        isEmpty &&= follow.firstOf(part).isEmpty;
      }
    }
  const needed = [...follow.after].filter(([name]) => isWeak.has(name) || uses.get(name)! > 1);
  const ranges = new Map<Characters, Ranges>();
  for (const [, characters] of needed) ranges.set(characters, ranges.get(characters) ?? rangesOf(characters));
  return new Map(needed.map(([name, characters]) => [name, ranges.get(characters)!]));
}

/**
 * Any regular expression with looks as an item without them: its states are found by what is left to read, where a look ahead is an
 * intersection of two rests (an alternating automaton), and a look behind is followed from the beginning of the text. An expression
 * is made of the automaton by taking out one state after another. It grows fast, so that only small ones are made.
 */
import { spend } from "../budget.js";
import { choice, NOTHING, EMPTY, oneOf, repeat, sequence, isNothing } from "../regular/items.js";
import { contains } from "../regular/ranges.js";
import { Regular, type Node } from "../regular/regular.js";
import { normalized, type Item, type Ranges } from "../text/rules.js";
import { ANY_CHARACTER, ANYTHING, END, START, type Look, type Part } from "./syntax.js";

/** A look cannot be expressed. */
export class TooLarge extends Error {}

const MOST_STATES = 400;
const MOST_KINDS = 400;
const MOST_PARTS = 20_000;

/** Parts that are still to be read, one after another; the text ends after the last. */
interface Rest {
  readonly id: number;
  readonly part: Part;
  readonly rest: Rest | undefined;
}

/** What must be true of the rest of a text. */
type Formula =
  | { readonly id: number; readonly kind: "rest"; readonly rest: Rest | undefined }
  | { readonly id: number; readonly kind: "any" | "all"; readonly formulas: readonly Formula[] }
  | { readonly id: number; readonly kind: "not"; readonly formula: Formula };

type Unnamed = Formula extends infer F ? (F extends Formula ? Omit<F, "id"> : never) : never;

/** Where a text is: what looks behind have found up to here. */
interface Surroundings {
  readonly isStart: boolean;
  readonly behind: readonly Node[];
}

const isAnything = (part: Part): boolean =>
  part.kind === "repeat" && part.part === ANY_CHARACTER && part.min === 0 && part.max === Infinity;

/** Values of lists of parts. A repetition of what is empty needs its own value again, which adds nothing. */
class Settled<T> {
  private readonly known = new Map<number, T>();
  private readonly open = new Map<number, number>();
  /** The outermost open value that has been needed. */
  private needed = Infinity;

  constructor(private readonly nothing: T) {}

  get(id: number, make: () => T): T {
    const known = this.known.get(id);
    if (known !== undefined) return known;
    const place = this.open.get(id);
    if (place !== undefined) {
      this.needed = Math.min(this.needed, place);
      return this.nothing;
    }
    spend();
    const depth = this.open.size;
    const before = this.needed;
    this.needed = Infinity;
    this.open.set(id, depth);
    const value = make();
    this.open.delete(id);
    // else it holds only inside of the one that is open
    if (this.needed >= depth) {
      this.known.set(id, value);
      this.needed = before;
    } else this.needed = Math.min(before, this.needed);
    return value;
  }
}

class Alternating {
  private readonly rests = new Map<string, Rest>();
  private readonly formulas = new Map<string, Formula>();
  private readonly partIds = new Map<Part, number>();
  readonly never: Formula = this.list("any", []);
  readonly always: Formula = this.list("all", []);

  constructor(private readonly behind: ReadonlyMap<Look, number>) {}

  rest(part: Part, rest: Rest | undefined): Rest {
    const number = this.partIds.get(part) ?? this.partIds.size;
    this.partIds.set(part, number);
    const counts = part.kind === "repeat" ? `${this.number(part.part)},${part.min},${part.max}` : String(number);
    const key = `${counts} ${rest?.id ?? ""}`;
    const known = this.rests.get(key) ?? { id: this.rests.size, part, rest };
    this.rests.set(key, known);
    return known;
  }

  private number(part: Part): string {
    const number = this.partIds.get(part) ?? this.partIds.size;
    this.partIds.set(part, number);
    return `r${number}`;
  }

  formulaOf(rest: Rest | undefined): Formula {
    if (rest && !rest.rest && isAnything(rest.part)) return this.always;
    return this.formula(`rest ${rest?.id ?? ""}`, { kind: "rest", rest });
  }

  private formula(key: string, unnamed: Unnamed): Formula {
    const known = this.formulas.get(key);
    if (known) return known;
    spend();
    const made = { ...unnamed, id: this.formulas.size } as Formula;
    this.formulas.set(key, made);
    return made;
  }

  private list(kind: "any" | "all", given: readonly Formula[]): Formula {
    const [zero, one] = kind === "any" ? [this.always, this.never] : [this.never, this.always];
    spend(given.length);
    const flat = given.flatMap((one) => (one.kind === kind ? one.formulas : [one]));
    if (zero && flat.includes(zero)) return zero;
    const formulas = [...new Set(flat)].filter((formula) => formula !== one).sort((a, b) => a.id - b.id);
    if (formulas.length === 1) return formulas[0]!;
    return this.formula(`${kind} ${formulas.map(({ id }) => id).join(" ")}`, { kind, formulas });
  }

  private not(formula: Formula): Formula {
    if (formula.kind === "not") return formula.formula;
    if (formula === this.never) return this.always;
    if (formula === this.always) return this.never;
    return this.formula(`not ${formula.id}`, { kind: "not", formula });
  }

  private holds(look: Look, { isStart, behind }: Surroundings): boolean {
    const found = look === START ? !isStart : behind[this.behind.get(look)!]!.isNullable;
    return found !== look.isNegated;
  }

  /** What must be true after a character. */
  step(formula: Formula, character: number, place: Surroundings): Formula {
    switch (formula.kind) {
      case "rest":
        return this.stepRest(formula.rest, character, place, new Settled(this.never));
      case "not":
        return this.not(this.step(formula.formula, character, place));
      default:
        return this.list(
          formula.kind,
          formula.formulas.map((one) => this.step(one, character, place)),
        );
    }
  }

  private stepRest(list: Rest | undefined, character: number, place: Surroundings, known: Settled<Formula>): Formula {
    if (!list) return this.never;
    const inner = (one: Rest | undefined): Formula => this.stepRest(one, character, place, known);
    const { part, rest } = list;
    const made = (): Formula => {
      switch (part.kind) {
        case "class":
          return contains(part.ranges, character) ? this.formulaOf(rest) : this.never;
        case "look": {
          if (part.isBehind) return this.holds(part, place) ? inner(rest) : this.never;
          const found = part === END ? this.always : this.stepRest(this.aheadOf(part), character, place, known);
          return this.list("all", [inner(rest), part.isNegated ? this.not(found) : found]);
        }
        default:
          return this.list("any", this.expanded(list).map(inner));
      }
    };
    return known.get(list.id, made);
  }

  private aheadOf(look: Look): Rest {
    return this.rest(look.part, this.rest(ANYTHING, undefined));
  }

  private expanded({ part, rest }: Rest): (Rest | undefined)[] {
    if (part.kind === "all")
      return [part.parts.reduceRight<Rest | undefined>((after, one) => this.rest(one, after), rest)];
    if (part.kind === "any") return part.parts.map((one) => this.rest(one, rest));
    const { part: repeated, min, max } = part as Part & { readonly kind: "repeat" };
    const again: Part =
      min === 0 && max === Infinity
        ? part
        : { kind: "repeat", part: repeated, min: Math.max(min - 1, 0), max: max - 1 };
    return [...(min === 0 ? [rest] : []), ...(max > 0 ? [this.rest(repeated, this.rest(again, rest))] : [])];
  }

  /** Whether the text may end here. */
  isWhole(formula: Formula, place: Surroundings): boolean {
    switch (formula.kind) {
      case "rest":
        return this.canEnd(formula.rest, place, new Settled(false));
      case "not":
        return !this.isWhole(formula.formula, place);
      case "any":
        return formula.formulas.some((one) => this.isWhole(one, place));
      case "all":
        return formula.formulas.every((one) => this.isWhole(one, place));
    }
  }

  private canEnd(list: Rest | undefined, place: Surroundings, known: Settled<boolean>): boolean {
    if (!list) return true;
    const inner = (one: Rest | undefined): boolean => this.canEnd(one, place, known);
    const { part, rest } = list;
    const made = (): boolean => {
      if (part.kind === "class") return false;
      if (part.kind !== "look") return this.expanded(list).some(inner);
      const holds = part.isBehind ? this.holds(part, place) : inner(this.aheadOf(part)) !== part.isNegated;
      return holds && inner(rest);
    };
    return known.get(list.id, made);
  }
}

/** The states from the first on; each has a state for each kind of characters. */
interface Automaton {
  readonly kinds: readonly Ranges[];
  readonly next: readonly (readonly number[])[];
  readonly isEnd: readonly boolean[];
}

/**
 * @param behindItem what a text is, up to its end, that a look behind finds
 * Throws `TooLarge`.
 */
export function automatonItem(part: Part, behindItem: (look: Look) => Item): Item {
  return expression(automaton(part, behindItem));
}

function automaton(part: Part, behindItem: (look: Look) => Item): Automaton {
  const regular = new Regular();
  const looks = [...new Set(looksBehind(part))].filter((look) => look !== START);
  const items = looks.map(behindItem);
  const first = items.map((item) => regular.of(item));
  const kinds = kindsOf([...classesIn(part), ...items.flatMap(classesOf)]);
  if (kinds.length > MOST_KINDS) throw new TooLarge();
  const alternating = new Alternating(new Map(looks.map((look, i) => [look, i])));
  const states = new Map<string, number>();
  const found: { readonly formula: Formula; readonly place: Surroundings }[] = [];
  const numberOf = (formula: Formula, place: Surroundings): number => {
    const key = `${formula.id} ${place.isStart} ${place.behind.map(({ id }) => id).join(" ")}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    if (found.length >= MOST_STATES) throw new TooLarge();
    states.set(key, found.length);
    return found.push({ formula, place }) - 1;
  };
  numberOf(alternating.formulaOf(alternating.rest(part, undefined)), { isStart: true, behind: first });
  const next: number[][] = [];
  // which grows on the way
  for (const { formula, place } of found) {
    next.push(
      kinds.map((ranges) => {
        const character = ranges[0]![0];
        const after = { isStart: false, behind: place.behind.map((node) => regular.derivative(node, character)) };
        return numberOf(alternating.step(formula, character, place), after);
      }),
    );
  }
  return minimal({ kinds, next, isEnd: found.map(({ formula, place }) => alternating.isWhole(formula, place)) });
}

function* looksBehind(part: Part): Generator<Look> {
  if (part.kind === "look" && part.isBehind) yield part;
  else if (part.kind === "all" || part.kind === "any") for (const one of part.parts) yield* looksBehind(one);
  else if (part.kind === "repeat" || part.kind === "look") yield* looksBehind(part.part);
}

function* classesIn(part: Part): Generator<Ranges> {
  if (part.kind === "class") yield part.ranges;
  else if (part.kind === "all" || part.kind === "any") for (const one of part.parts) yield* classesIn(one);
  else yield* classesIn(part.part);
}

function classesOf(item: Item): Ranges[] {
  switch (item.kind) {
    case "class":
      return [item.ranges];
    case "text":
      return item.characters.map((one) => [[one, one]]);
    case "all":
    case "any":
    case "intersection":
      return item.items.flatMap(classesOf);
    case "repeat":
    case "complement":
      return classesOf(item.item);
    default:
      return [];
  }
}

/** The characters by the classes that they are in. */
function kindsOf(classes: readonly Ranges[]): Ranges[] {
  const different = [...new Map(classes.map((ranges) => [ranges.join(" "), ranges])).values()];
  const cuts = new Set([0, 0xd800, 0xe000, 0x110000]);
  for (const [from, to] of different.flat()) {
    cuts.add(from);
    cuts.add(to + 1);
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  const kinds = new Map<string, [number, number][]>();
  for (const [i, from] of sorted.slice(0, -1).entries()) {
    if (from === 0xd800) continue;
    spend(1 + different.length / 8);
    const key = different.map((ranges) => (contains(ranges, from) ? "1" : "0")).join("");
    const ranges = kinds.get(key) ?? [];
    kinds.set(key, ranges);
    ranges.push([from, sorted[i + 1]! - 1]);
  }
  return [...kinds.values()].map(normalized);
}

/** With one state for all that nothing tells from each other (Moore). */
function minimal({ kinds, next, isEnd }: Automaton): Automaton {
  let group = isEnd.map(Number);
  for (let count = 0, before = -1; count !== before;) {
    before = count;
    const groups = new Map<string, number>();
    group = next.map((row, i) => {
      spend(row.length / 2);
      const key = `${group[i]!} ${row.map((to) => group[to]!).join(" ")}`;
      const number = groups.get(key) ?? groups.size;
      groups.set(key, number);
      return number;
    });
    count = groups.size;
  }
  // in the order in which they are found, so that the first one stays the first
  const representatives = [...new Map([...group.entries()].reverse().map(([i, number]) => [number, i])).entries()].sort(
    ([a], [b]) => a - b,
  );
  return {
    kinds,
    next: representatives.map(([, i]) => next[i]!.map((to) => group[to]!)),
    isEnd: representatives.map(([, i]) => isEnd[i]!),
  };
}

/** Takes out one state after another; those with few ways through them first. */
function expression({ kinds, next, isEnd }: Automaton): Item {
  const [begin, end] = [next.length, next.length + 1];
  const ways = new Map<number, Map<number, Item>>(Array.from({ length: end + 1 }, (_, i) => [i, new Map()]));
  const sizes = new Map<Item, number>();
  const add = (from: number, to: number, item: Item): void => {
    if (isNothing(item)) return;
    const before = ways.get(from)!.get(to);
    ways.get(from)!.set(to, before ? choice(before, item) : item);
  };
  for (const [from, row] of next.entries()) {
    const ranges = new Map<number, (readonly [number, number])[]>();
    for (const [kind, to] of row.entries()) ranges.set(to, [...(ranges.get(to) ?? []), ...kinds[kind]!]);
    for (const [to, some] of ranges) add(from, to, oneOf(normalized(some)));
    if (isEnd[from]) add(from, end, EMPTY);
  }
  add(begin, 0, EMPTY);
  const left = new Set(next.keys());
  const into = (state: number): number[] => {
    spend(ways.size / 8);
    return [...ways].flatMap(([from, to]) => (from !== state && to.has(state) ? [from] : []));
  };
  while (left.size > 0) {
    const costs = [...left].map((state) => {
      const out = [...ways.get(state)!].filter(([to]) => to !== state);
      return { state, cost: into(state).length * out.reduce((sum, [, item]) => sum + sizeOf(item, sizes), 1) };
    });
    const { state } = costs.reduce((a, b) => (b.cost < a.cost ? b : a));
    left.delete(state);
    const loop = ways.get(state)!.get(state);
    const middle = loop ? repeat(loop, 0) : EMPTY;
    for (const from of into(state)) {
      const head = ways.get(from)!.get(state)!;
      ways.get(from)!.delete(state);
      for (const [to, tail] of ways.get(state)!)
        if (to !== state) {
          const item = sequence(head, middle, tail);
          if (sizeOf(item, sizes) > MOST_PARTS) throw new TooLarge();
          add(from, to, item);
        }
    }
    ways.delete(state);
  }
  return ways.get(begin)!.get(end) ?? NOTHING;
}

function sizeOf(item: Item, known: Map<Item, number>): number {
  const before = known.get(item);
  if (before !== undefined) return before;
  spend();
  const size =
    item.kind === "all" || item.kind === "any"
      ? item.items.reduce((sum, one) => sum + sizeOf(one, known), 1)
      : item.kind === "repeat"
        ? 1 + sizeOf(item.item, known)
        : 1;
  known.set(item, size);
  return size;
}

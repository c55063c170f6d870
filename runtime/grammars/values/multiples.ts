/**
 * Multiples of a number in a range, as an automaton over digits: what is left of the digits so far when they are divided, and how they
 * compare with those of the bounds.
 */
import { spend } from "../budget.js";
import { all, any, textOf, type Item } from "../text/rules.js";
import { common, nearestMultiple, type Decimal } from "./decimals.js";
import { digits } from "./numberItems.js";
import { NoForm, type NumberRange, type Step } from "./values.js";

/** The largest number of remainders. */
const MOST_UNITS = 1024n;

/** Whether the number up to a digit is below, the same as or above the digits of a bound. */
type Order = -1 | 0 | 1;

interface State {
  /** Digits before the point, or, with `isAfter`, after it; not counted further where no bound has as many. */
  readonly count: number;
  readonly isAfter: boolean;
  readonly isZero: boolean;
  readonly rest: number;
  /** Zeros at the end, which `rest` leaves out, up to those that the step has. */
  readonly zeros: number;
  readonly lower: Order;
  readonly upper: Order;
}

interface Edge {
  readonly item: Item;
  readonly to: string;
}

interface Multiples {
  readonly item: Item;
  readonly rules: readonly (readonly [name: string, item: Item])[];
}

/**
 * @param name what the names of the rules begin with
 * Throws `NoForm` for more remainders than a grammar should have.
 */
export function multiples(range: NumberRange & { readonly step: Step }, name: string): Multiples {
  if (range.kind === "fraction") throw new NoForm("multiples that are no integers have no grammar");
  if (divided(range).units > MOST_UNITS)
    throw new NoForm(`multiples of a number with more than ${MOST_UNITS} remainders have no grammar of a useful size`);
  const rules: (readonly [string, Item])[] = [];
  const side = (min: number, max: number, sign: string): Item[] => {
    if (min > max) return [];
    const { step } = range;
    const upper = max === Infinity ? undefined : nearestMultiple(max, step, false);
    const made = new Automaton(range, nearestMultiple(min, step, true), upper).rules(`${name}${sign} `);
    for (const one of made.rules) rules.push(one);
    return made.item ? [sign === "" ? made.item : all([textOf(sign), made.item])] : [];
  };
  const { min, max, kind } = range;
  const sign: Item = { kind: "repeat", item: textOf("-"), min: 0, max: 1 };
  if (min === -Infinity && max === Infinity) return { item: all([sign, ...side(0, Infinity, "")]), rules };
  const least = kind === "integer" ? 1 : 0;
  return {
    item: any([
      ...(min < 0 ? side(Math.max(-max, least), -min, "-") : []),
      ...(max >= 0 ? side(Math.max(min, 0), max, "") : []),
    ]),
    rules,
  };
}

class Automaton {
  private readonly units: number;
  private readonly places: number;
  private readonly zeros: number;
  private readonly edges = new Map<string, { readonly edges: readonly Edge[]; readonly canEnd: boolean }>();

  constructor(
    private readonly range: NumberRange & { readonly step: Step },
    private readonly min: Decimal,
    private readonly max: Decimal | undefined,
  ) {
    const { units, zeros } = divided(range);
    [this.units, this.zeros] = [Number(units), zeros];
    this.places = range.kind === "integer" ? 0 : range.step.places;
  }

  rules(name: string): { readonly item: Item | undefined; readonly rules: readonly (readonly [string, Item])[] } {
    const start: State = { count: 0, isAfter: false, isZero: false, rest: 0, zeros: 0, lower: 0, upper: 0 };
    const first = this.visit(start);
    const useful = this.useful();
    if (!useful.has(first)) return { item: undefined, rules: [] };
    const ruleOf = (key: string): Item => ({ kind: "rule", name: name + key });
    const rules = [...useful].map((key): [string, Item] => {
      const { edges, canEnd } = this.edges.get(key)!;
      const kept = edges.filter(({ to }) => useful.has(to));
      spend(1 + kept.length);
      const items = kept.map(({ item, to }) => all([item, ruleOf(to)]));
      return [name + key, any([...items, ...(canEnd ? [textOf("")] : [])])];
    });
    return { item: ruleOf(first), rules };
  }

  private visit(start: State): string {
    const waiting = [start];
    for (let state = waiting.pop(); state; state = waiting.pop()) {
      const key = keyOf(state);
      if (this.edges.has(key)) continue;
      spend(12);
      const next = this.next(state);
      this.edges.set(key, { edges: next.map(([item, to]) => ({ item, to: keyOf(to) })), canEnd: this.canEnd(state) });
      for (const [, to] of next) waiting.push(to);
    }
    return keyOf(start);
  }

  /** The states from which an end is reached. */
  private useful(): ReadonlySet<string> {
    const before = new Map<string, string[]>();
    for (const [key, { edges }] of this.edges)
      for (const { to } of edges) {
        const list = before.get(to);
        if (list) list.push(key);
        else before.set(to, [key]);
      }
    const found = new Set([...this.edges].filter(([, { canEnd }]) => canEnd).map(([key]) => key));
    for (const key of found) for (const one of before.get(key) ?? []) found.add(one);
    return found;
  }

  private next(state: State): [Item, State][] {
    const { count, isAfter, isZero } = state;
    const result: [Item, State][] = [];
    const none = isAfter && count >= this.places;
    for (let digit = 0; digit <= (none ? 0 : 9); digit++) {
      if (isZero && !isAfter) break;
      result.push([digits(digit, digit), this.after(state, digit)]);
    }
    const canHavePoint = this.range.kind !== "integer" && (this.zeros === 0 || this.isMultiple(state));
    if (!isAfter && count > 0 && canHavePoint) result.push([textOf("."), this.pointed(state)]);
    return result;
  }

  private after({ count, isAfter, rest, zeros, lower, upper }: State, digit: number): State {
    const compared = (bound: Decimal | undefined, order: Order): Order => {
      if (!bound || order !== 0) return order;
      const other = Number((isAfter ? bound.fraction : bound.whole)[count] ?? 0);
      return Math.sign(digit - other) as Order;
    };
    const most = isAfter ? this.fractionLength() : this.wholeLength() + 1;
    // with a point or without one, each number is in the range
    const isFree = this.isFree && (!isAfter || this.places === 0);
    const isCounted = !isAfter || count < this.places;
    const isLeftOut = digit === 0 && zeros < this.zeros;
    return {
      count: isFree ? 1 : Math.min(count + 1, most),
      isAfter,
      isZero: !isAfter && count === 0 && digit === 0,
      ...(isLeftOut || !isCounted
        ? { rest, zeros: isLeftOut ? zeros + 1 : zeros }
        : { rest: this.remainder(rest, digit === 0 ? 1 : zeros + 1, digit), zeros: digit === 0 ? zeros : 0 }),
      lower: isFree ? 0 : compared(this.min, lower),
      upper: compared(this.max, upper),
    };
  }

  /** Whether all numbers are in the range. */
  private get isFree(): boolean {
    return !this.max && this.min.whole === "0" && this.min.fraction === "";
  }

  private wholeLength(): number {
    return Math.max(this.min.whole.length, this.max?.whole.length ?? 0);
  }

  private fractionLength(): number {
    return Math.max(this.min.fraction.length, this.max?.fraction.length ?? 0, this.places, 1);
  }

  /** The state after the digits before the point, for a multiple: a number of more digits is larger. */
  private pointed(state: State): State {
    const of = (bound: Decimal | undefined, order: Order): Order =>
      bound && bound.whole.length !== state.count ? (Math.sign(state.count - bound.whole.length) as Order) : order;
    return {
      ...state,
      count: 0,
      isAfter: true,
      isZero: false,
      zeros: this.zeros,
      lower: of(this.min, state.lower),
      upper: of(this.max, state.upper),
    };
  }

  private canEnd(state: State): boolean {
    if (state.count === 0) return false;
    const { count, lower, upper } = state.isAfter ? state : this.pointed(state);
    const left = ({ fraction }: Decimal): boolean => /[1-9]/.test(fraction.slice(count));
    if (this.isFree) return this.isMultiple(state);
    if (lower < 0 || (lower === 0 && left(this.min))) return false;
    if (this.max && upper > 0) return false;
    return this.isMultiple(state);
  }

  private isMultiple({ isAfter, isZero, count, rest, zeros }: State): boolean {
    if (isZero) return true;
    if (zeros < this.zeros) return false;
    return this.remainder(rest, Math.max(this.places - (isAfter ? count : 0), 0), 0) === 0;
  }

  /** Of a number with more digits after it. */
  private remainder(rest: number, more: number, digit: number): number {
    let left = rest;
    for (let i = 0; i < more; i++) left = (left * 10) % this.units;
    return (left + digit) % this.units;
  }
}

/** The step of a range, without the zeros at its end; an integer is a multiple if it is one of both the step and 1. */
function divided({ step, kind }: NumberRange & { readonly step: Step }): {
  readonly units: bigint;
  readonly zeros: number;
} {
  const { units, places } = kind === "integer" ? common(step, { units: 1n, places: 0 }) : step;
  const zeros = places === 0 ? /0*$/.exec(units.toString())![0].length : 0;
  return { units: units / 10n ** BigInt(zeros), zeros };
}

const keyOf = ({ count, isAfter, isZero, rest, zeros, lower, upper }: State): string =>
  `${isAfter ? "." : ""}${count}${isZero ? "z" : ""} ${rest} ${zeros} ${lower}${upper}`;

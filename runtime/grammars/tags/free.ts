/**
 * Free text: it goes on until one of some texts has come, its *stops*: the triggers of tags, and the end of the tag that it is in. What
 * comes then begins with the stop, or has it inside: the *opener*, of which the shortest part that ends with a stop is the *cut*.
 */
import { spend } from "../budget.js";
import { ANY_TEXT, except, NOTHING, ONE_CHARACTER, sequence } from "../regular/items.js";
import { any, textOf, type Item } from "../text/rules.js";
import { Starts } from "./starts.js";

export interface FreeText {
  /** Text without a stop. */
  without(): Item;
  /**
   * Whether text without a stop and an opener after it are enough: no stop can begin in that text and end before the opener's cut, as
   * `aab` does in `a` and `aab`.
   */
  isClear(opener: string): boolean;
  /** Text that ends with a cut, where a stop has come for the first time. */
  until(cut: string): Item;
  /** Where the cut of an opener ends. */
  cutOf(opener: string): number;
  /** Free text and what it ends with. */
  closed(end: string): Item;
}

/** The free texts of a grammar, each of which is one rule. */
export class FreeTexts {
  private readonly known = new Map<string, FreeText>();
  private count = 0;

  constructor(private readonly rules: Map<string, Item>) {}

  upTo(stops: readonly string[]): FreeText {
    const key = JSON.stringify(stops);
    const free = this.known.get(key) ?? this.made([...new Set(stops)]);
    this.known.set(key, free);
    return free;
  }

  private made(stops: readonly string[]): FreeText {
    const rules = new Map<string | undefined, Item>();
    const once = (name: string | undefined, make: () => Item): Item => {
      const item = rules.get(name) ?? this.rule(make());
      rules.set(name, item);
      return item;
    };
    if (stops.length === 0) rules.set(undefined, ANY_TEXT);
    // up to a stop, which may not be the first
    const stopped = stops.length === 0 ? NOTHING : this.rule(sequence(ANY_TEXT, any(stops.map(textOf))));
    const starts = new Starts(stops);
    const tails = tailsOf(stops);
    const cutOf = (opener: string): number => firstStop(opener, starts);
    const without = (): Item => once(undefined, () => except(ANY_TEXT, sequence(stopped, ANY_TEXT)));
    const until = (cut: string): Item =>
      once(cut, () => except(sequence(ANY_TEXT, textOf(cut)), sequence(stopped, ONE_CHARACTER, ANY_TEXT)));
    const isClear = (opener: string): boolean => {
      const cut = opener.slice(0, cutOf(opener));
      return !(tails.get(cut[0]!) ?? []).some((tail) => {
        spend(1 + tail.length / 8);
        return tail.length < cut.length && cut.startsWith(tail);
      });
    };
    const closed = (end: string): Item => {
      if (isClear(end)) return sequence(without(), textOf(end));
      const cut = cutOf(end);
      return sequence(until(end.slice(0, cut)), textOf(end.slice(cut)));
    };
    return { without, isClear, until, cutOf, closed };
  }

  private rule(item: Item): Item {
    const name = `free text ${++this.count}`;
    this.rules.set(name, item);
    return { kind: "rule", name };
  }
}

/** What stops end with, by its first character, without whole stops. */
function tailsOf(stops: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const tails = new Map<string, string[]>();
  for (const stop of stops) {
    spend(stop.length / 8);
    for (let at = 1; at < stop.length; at++) {
      const some = tails.get(stop[at]!);
      if (some) some.push(stop.slice(at));
      else tails.set(stop[at]!, [stop.slice(at)]);
    }
  }
  return tails;
}

function firstStop(opener: string, stops: Starts): number {
  let end = Infinity;
  for (let at = 0; at < Math.min(opener.length, end); at++) end = Math.min(end, stops.end(opener, at, end));
  if (end === Infinity) throw new TypeError(`expected an opener with one of its stops, found ${opener}`);
  return end;
}

/**
 * Free text: it goes on until one of some texts has come, its *stops*: the triggers of tags, and the end of the tag that it is in. What
 * comes then begins with the stop, or has it inside: the *opener*, of which the shortest part that ends with a stop is the *cut*.
 */
import { ANY_TEXT, except, NOTHING, ONE_CHARACTER, sequence } from "../regular/items.js";
import { any, textOf, type Item } from "../text/rules.js";
import { Starts } from "./starts.js";

export interface FreeText {
  /** Text without a stop. */
  without(): Item;
  /** Text that ends with a cut, where a stop has come for the first time. */
  until(cut: string): Item;
  /** Where the cut of an opener ends. */
  cutOf(opener: string): number;
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
    return {
      without: () => once(undefined, () => except(ANY_TEXT, sequence(stopped, ANY_TEXT))),
      until: (cut) =>
        once(cut, () => except(sequence(ANY_TEXT, textOf(cut)), sequence(stopped, ONE_CHARACTER, ANY_TEXT))),
      cutOf: (opener) => cutOf(opener, starts),
    };
  }

  private rule(item: Item): Item {
    const name = `free text ${++this.count}`;
    this.rules.set(name, item);
    return { kind: "rule", name };
  }
}

function cutOf(opener: string, stops: Starts): number {
  let cut = Infinity;
  for (let at = 0; at < Math.min(opener.length, cut); at++) cut = Math.min(cut, stops.end(opener, at, cut));
  if (cut === Infinity) throw new TypeError(`expected an opener with one of its stops, found ${opener}`);
  return cut;
}

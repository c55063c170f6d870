/**
 * Free text: it goes on until one of some texts has come, its *stops*: the triggers of tags, and the end of the tag that it is in. What
 * comes then begins with the stop, or has it inside: the *opener*, of which the shortest part that ends with a stop is the *cut*.
 */
import { spend } from "../budget.js";
import { ANY_TEXT, except, ONE_CHARACTER, sequence } from "../regular/items.js";
import { any, textOf, type Item } from "../text/rules.js";

/** Where the shortest part of an opener ends that ends with a stop. */
export function cutOf(opener: string, stops: readonly string[]): number {
  spend(stops.length);
  let cut = Infinity;
  for (const stop of stops) {
    const at = opener.indexOf(stop);
    if (at >= 0) cut = Math.min(cut, at + stop.length);
  }
  if (cut === Infinity) throw new TypeError(`expected an opener with one of its stops, found ${opener}`);
  return cut;
}

/** Free texts of one grammar; each is a rule of its own, once. */
export class FreeTexts {
  private readonly known = new Map<string, Item>();

  constructor(private readonly rules: Map<string, Item>) {}

  /** Text in which no stop is. */
  without(stops: readonly string[]): Item {
    if (stops.length === 0) return ANY_TEXT;
    return this.rule(["without", stops], () => except(ANY_TEXT, sequence(this.first(stops), ANY_TEXT)));
  }

  /** Text that ends with a cut, where a stop has come for the first time. */
  until(cut: string, stops: readonly string[]): Item {
    return this.rule(["until", stops, cut], () =>
      except(sequence(ANY_TEXT, textOf(cut)), sequence(this.first(stops), ONE_CHARACTER, ANY_TEXT)),
    );
  }

  /** Text that ends with a stop. */
  private first(stops: readonly string[]): Item {
    return this.rule(["stops", stops], () => sequence(ANY_TEXT, any(stops.map(textOf))));
  }

  private rule(parts: readonly unknown[], make: () => Item): Item {
    const key = JSON.stringify(parts);
    spend(key.length / 8);
    const known = this.known.get(key);
    if (known) return known;
    const item: Item = { kind: "rule", name: `free text ${this.known.size + 1}` };
    this.known.set(key, item);
    this.rules.set(item.name, make());
    return item;
  }
}

/** Items that wait in lanes, which take turns: the lane that was served longest ago comes first. */

/** What becomes of an item that could be next: `later` goes on with the next of its lane, `pass` with the next lane. */
export type Choice = "take" | "later" | "pass";

export class Turns<Item> {
  /** In the order of their turns. No lane is empty. */
  readonly #lanes = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Puts an item at the end of a lane; a new lane comes after the others. */
  push(lane: string, item: Item): void {
    const items = this.#lanes.get(lane);
    if (items) items.push(item);
    else this.#lanes.set(lane, [item]);
    this.#size++;
  }

  /** The first item that `choose` takes. It stays where it is, and its lane comes last from now on. */
  next(choose: (item: Item) => Choice): Item | undefined {
    for (const [lane, items] of this.#lanes) {
      for (const item of items) {
        const choice = choose(item);
        if (choice === "pass") break;
        if (choice === "later") continue;
        this.#lanes.delete(lane);
        this.#lanes.set(lane, items);
        return item;
      }
    }
    return undefined;
  }

  /** Of the first items of all lanes that with the least weight; of equal ones that whose lane has waited longest. It stays. */
  least(weight: (item: Item) => number): Item | undefined {
    let [least, found] = [Infinity, undefined as Item | undefined];
    for (const [item] of this.#lanes.values()) {
      const own = weight(item!);
      if (own < least) [least, found] = [own, item];
    }
    return found;
  }

  /** Those with items. */
  lanes(): Iterable<string> {
    return this.#lanes.keys();
  }

  /** Items of a lane. */
  lengthOf(lane: string): number {
    return this.#lanes.get(lane)?.length ?? 0;
  }

  /** False if the item is not there any more. */
  remove(lane: string, item: Item): boolean {
    const items = this.#lanes.get(lane);
    const at = items?.indexOf(item) ?? -1;
    if (!items || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) this.#lanes.delete(lane);
    this.#size--;
    return true;
  }

  /** The lane with the most items that count; of lanes of equal length it is `preferred`. */
  longest(preferred: string, counts: (item: Item) => boolean = () => true): string {
    const lengthOf = (lane: string): number => this.#lanes.get(lane)?.filter(counts).length ?? 0;
    let longest = preferred;
    for (const lane of this.#lanes.keys()) if (lengthOf(lane) > lengthOf(longest)) longest = lane;
    return longest;
  }

  /** The last item of a lane that counts. */
  last(lane: string, counts: (item: Item) => boolean = () => true): Item | undefined {
    return this.#lanes.get(lane)?.findLast(counts);
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const items of this.#lanes.values()) yield* items;
  }

  /** Removes all items. */
  clear(): Item[] {
    const items = [...this];
    this.#lanes.clear();
    this.#size = 0;
    return items;
  }
}

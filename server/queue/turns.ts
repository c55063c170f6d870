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

  /** Removes the first item that `choose` takes; its lane comes last from now on. */
  take(choose: (item: Item) => Choice): Item | undefined {
    for (const [lane, items] of this.#lanes) {
      for (const item of items) {
        const choice = choose(item);
        if (choice === "pass") break;
        if (choice === "later") continue;
        this.remove(lane, item);
        if (this.#lanes.delete(lane)) this.#lanes.set(lane, items);
        return item;
      }
    }
    return undefined;
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

  /** Removes the last item of the longest lane; of lanes of equal length `preferred` counts as the longest. */
  dropLongest(preferred: string): Item | undefined {
    let longest = preferred;
    const lengthOf = (lane: string): number => this.#lanes.get(lane)?.length ?? 0;
    for (const lane of this.#lanes.keys()) if (lengthOf(lane) > lengthOf(longest)) longest = lane;
    const item = this.#lanes.get(longest)?.at(-1);
    if (item !== undefined) this.remove(longest, item);
    return item;
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

/**
 * What several share fairly: who has had least comes first. Who comes anew begins with the least that any other who wants something has
 * had, so that nobody saves up while he wants nothing.
 */
export class Shares<Key> {
  /** The least that anyone who wants something has had. */
  #clock = 0;
  readonly #had = new Map<Key, number>();

  /** Those who want something now. What others have had is forgotten once it is no more than what these have. */
  want(keys: Iterable<Key>): void {
    const all = [...keys].map((key) => this.of(key));
    if (all.length === 0) return;
    this.#clock = all.reduce((least, had) => Math.min(least, had));
    for (const [key, had] of this.#had) if (had <= this.#clock) this.#had.delete(key);
  }

  /** What one of them has had. */
  of(key: Key): number {
    return Math.max(this.#clock, this.#had.get(key) ?? 0);
  }

  /** @param most by how much it is ahead of the least from now on, at most */
  add(key: Key, amount: number, most = Infinity): void {
    this.#had.set(key, Math.min(this.of(key) + amount, this.#clock + most));
  }

  /** All are equal again. */
  clear(): void {
    this.#clock = 0;
    this.#had.clear();
  }
}

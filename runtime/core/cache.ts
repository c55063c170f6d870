/** What was used last, up to a number of entries and a size of all together. */

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
}

export class Cache<Value> {
  /** The entries, the one that was used longest ago first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #total = 0;

  /** `most`: entries; `room`: the most that their sizes add up to. The last entry is kept whatever its size. */
  constructor(
    private readonly most: number,
    private readonly room = Infinity,
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  /** Marks the entry as used. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** The entry of that key, made if there is none; its size does not count. */
  getOrMake(key: string, make: () => Value): Value {
    const value = this.get(key) ?? make();
    if (!this.#entries.has(key)) this.set(key, value);
    return value;
  }

  set(key: string, value: Value, size = 0): void {
    this.#delete(key);
    this.#entries.set(key, { value, size });
    this.#total += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.most && (this.#total <= this.room || oldest === key)) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#total -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}

/** Chains as native graphs. Equal ones are one object, so that a reused place can keep its graph. */
import type { Binding, NativeGraph } from "../../backends/native/binding.js";

interface Known {
  readonly key: string;
  readonly columns: readonly Float32Array[];
  readonly chain: NativeGraph;
}

/** Chains that are kept although no place has them. To make one again takes a millisecond. */
const MOST_UNUSED = 32;

const keys = new WeakMap<Int32Array, string>();

/** Equal for equal chains; texts of one chain have the same words. */
function keyOf(words: Int32Array): string {
  const key = keys.get(words) ?? words.join();
  keys.set(words, key);
  return key;
}

export class Chains {
  /** The latest used last. */
  private known: Known[] = [];

  constructor(
    private readonly Graph: Binding["Graph"],
    /** Whether a place has the chain. */
    private readonly isUsed: (chain: NativeGraph) => boolean,
  ) {}

  get count(): number {
    return this.known.length;
  }

  /** @param words the chain in the wire form */
  of(words: Int32Array, columns: readonly Float32Array[]): NativeGraph {
    const key = keyOf(words);
    const found = this.known.find((one) => one.key === key && isEqual(one.columns, columns));
    this.known = this.known.filter((one) => one !== found);
    const chain = found?.chain ?? new this.Graph(words, columns);
    const unused = this.known.filter((one) => !this.isUsed(one.chain));
    const forgotten = new Set(unused.slice(0, Math.max(0, unused.length - MOST_UNUSED)));
    this.known = [...this.known.filter((one) => !forgotten.has(one)), { key, columns, chain }];
    return chain;
  }
}

const isEqual = (a: readonly Float32Array[], b: readonly Float32Array[]): boolean =>
  a.every((column, i) => column === b[i] || isSame(column, b[i]!));

const isSame = (a: Float32Array, b: Float32Array): boolean =>
  a.length === b.length && a.every((value, i) => Object.is(value, b[i]));

/** The Mersenne Twister of C++'s `std::mt19937`, and the two uniform distributions that llama.cpp draws from it. */

const SIZE = 624;
const SHIFT = 397;

/** Random words in order. */
interface Words {
  /** The next 32 random bits. */
  next(): number;
}

/**
 * The words of a seed by index. It keeps the block of 624 words that was read last and the one before it, so that several readers
 * near each other share one generator without copies; a reader further back makes it start again from the seed.
 */
export class Mt19937 implements Words {
  // of no size before the first word: most generators are those of texts whose draws something else makes
  private block = new Uint32Array();
  private before = this.block;
  /** The number of `block`; block 0 is the seed's state, which has no words. */
  private number = 0;
  private index = 0;

  /** @param seed an unsigned 32-bit integer */
  constructor(private readonly seed: number) {}

  next(): number {
    return this.word(this.index++);
  }

  /** The word at an index from 0 on. */
  word(index: number): number {
    const number = Math.floor(index / SIZE) + 1;
    if (number < this.number - 1 || this.block.length === 0) this.restart();
    while (this.number < number) this.advance();
    let y = (number === this.number ? this.block : this.before)[index % SIZE]!;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  private restart(): void {
    if (this.block.length === 0) {
      this.block = new Uint32Array(SIZE);
      this.before = new Uint32Array(SIZE);
    }
    const { block } = this;
    block[0] = this.seed;
    for (let i = 1; i < SIZE; i++) {
      const previous = block[i - 1]! ^ (block[i - 1]! >>> 30);
      block[i] = Math.imul(1812433253, previous) + i;
    }
    this.number = 0;
  }

  private advance(): void {
    const { block: from, before: to } = this;
    for (let i = 0; i < SIZE; i++) {
      const y = (from[i]! & 0x80000000) | ((i + 1 < SIZE ? from[i + 1]! : to[0]!) & 0x7fffffff);
      const far = i + SHIFT < SIZE ? from[i + SHIFT]! : to[i + SHIFT - SIZE]!;
      to[i] = far ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.block = to;
    this.before = from;
    this.number++;
  }
}

/** @param seed an unsigned 32-bit integer */
export const mt19937 = (seed: number): Mt19937 => new Mt19937(seed);

/** `std::uniform_real_distribution<double>(0, 1)`: two words, the low one first. */
export function drawF64(rng: Words): number {
  const low = rng.next();
  return f64Of(low, rng.next());
}

/** `std::uniform_real_distribution<float>(0, 1)`: one word. */
export const drawF32 = (rng: Words): number => f32Of(rng.next());

/** The draw at an index from 0 on, if all draws of the generator are f64. */
export const drawF64At = (rng: Mt19937, index: number): number => f64Of(rng.word(2 * index), rng.word(2 * index + 1));

/** The same if all are f32. */
export const drawF32At = (rng: Mt19937, index: number): number => f32Of(rng.word(index));

function f64Of(low: number, high: number): number {
  const value = (low + high * 2 ** 32) / 2 ** 64;
  return value >= 1 ? 1 - 2 ** -53 : value;
}

function f32Of(word: number): number {
  const value = Math.fround(word) / 2 ** 32;
  return value >= 1 ? 1 - 2 ** -24 : value;
}

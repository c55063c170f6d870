/** The Mersenne Twister of C++'s `std::mt19937`, and the two uniform distributions that llama.cpp draws from it. */

const SIZE = 624;
const SHIFT = 397;

export interface Mt19937 {
  /** The next 32 random bits. */
  next(): number;
  clone(): Mt19937;
}

/** @param seed an unsigned 32-bit integer */
export function mt19937(seed: number): Mt19937 {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let i = 1; i < SIZE; i++) {
    const previous = state[i - 1]! ^ (state[i - 1]! >>> 30);
    state[i] = Math.imul(1812433253, previous) + i;
  }
  return generator(state, SIZE);
}

function generator(state: Uint32Array, position: number): Mt19937 {
  return {
    next() {
      if (position === SIZE) {
        twist(state);
        position = 0;
      }
      let y = state[position++]!;
      y ^= y >>> 11;
      y ^= (y << 7) & 0x9d2c5680;
      y ^= (y << 15) & 0xefc60000;
      return (y ^ (y >>> 18)) >>> 0;
    },
    clone: () => generator(state.slice(), position),
  };
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < SIZE; i++) {
    const y = (state[i]! & 0x80000000) | (state[(i + 1) % SIZE]! & 0x7fffffff);
    state[i] = state[(i + SHIFT) % SIZE]! ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
  }
}

/** `std::uniform_real_distribution<double>(0, 1)`: two words, the low one first. */
export function drawF64(rng: Mt19937): number {
  const low = rng.next();
  const value = (low + rng.next() * 2 ** 32) / 2 ** 64;
  return value >= 1 ? 1 - 2 ** -53 : value;
}

/** `std::uniform_real_distribution<float>(0, 1)`: one word. */
export function drawF32(rng: Mt19937): number {
  const value = Math.fround(rng.next()) / 2 ** 32;
  return value >= 1 ? 1 - 2 ** -24 : value;
}

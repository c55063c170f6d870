/** Random numbers for test data: fast and reproducible. Not the generator under test. */
export interface Random {
  /** In [0, 1). */
  uniform(): number;
  normal(): number;
  /** In 0 .. count - 1. */
  below(count: number): number;
}

/** The generator "mulberry32". */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    below: (count) => Math.floor(uniform() * count),
  };
}

/**
 * Streams of draws. A seed has the stream of llama.cpp's samplers, that of `std::mt19937`, and further ones by number, so that
 * draws of equal seeds at different places of a chain are independent.
 */

/** More places than a source can have: it has at most this many characters. */
const SITES = 2 ** 20;
export const MAX_STREAM = 2 ** 32 - 1;

export const isStream = (n: unknown): n is number =>
  Number.isInteger(n) && (n as number) >= 1 && (n as number) <= MAX_STREAM;

/** The stream of a place in the source of a sampler: `site` counts its draws, `stage` the stages of the whole chain. */
export const streamOf = (stage: number, site: number): number => stage * SITES + site + 1;

/** The finalizer of MurmurHash3: each bit of the result depends on each bit of the 32-bit integer `x`. */
function mix(x: number): number {
  let h = x;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The seed of `std::mt19937` for a stream of a seed. Different streams of one seed have different ones. */
export const streamSeed = (seed: number, stream: number | undefined): number =>
  stream === undefined ? seed : mix(seed ^ mix(stream));

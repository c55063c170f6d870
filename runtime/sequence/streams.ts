/** Streams of draws: numbers for the present token, and for later ones. */
import type { Draw, Graph } from "@ggsl/compiler/graph/graph.js";
import { streamSeed } from "@ggsl/compiler/graph/streams.js";
import { invalid } from "../core/errors.js";
import { drawF32At, drawF64At, mt19937, type Mt19937 } from "../core/mt19937.js";

/** A place in a stream. */
export interface Stream {
  /** The seed as it was given, before the number of the stream is mixed in. */
  readonly seed: number;
  /** The number of draws before this one. */
  readonly count: number;
  /** The draw for the present token. */
  readonly value: number;
  /** The stream at a later draw. */
  at(count: number): Stream;
}

/** Replaces a draw of 0, which would pick a row of probability 0; it is below any draw distinguishable from 0. */
const SMALLEST_DRAW = 2 ** -54;

/** The stream of a draw at its beginning. */
export const startStream = ({ kind, stream }: Draw, seed: number): Stream =>
  kind === "seed" ? constantStream(seed) : new RandomStream(kind, mt19937(streamSeed(seed, stream)), seed, 0);

/** A place in a stream; all places share the generator, so that a later one costs no copy. */
class RandomStream implements Stream {
  private known: number | undefined;

  constructor(
    private readonly kind: "f32" | "f64",
    private readonly rng: Mt19937,
    readonly seed: number,
    readonly count: number,
  ) {}

  get value(): number {
    const { kind, rng, count } = this;
    return (this.known ??= Math.max(kind === "f64" ? drawF64At(rng, count) : drawF32At(rng, count), SMALLEST_DRAW));
  }

  at(count: number): Stream {
    return new RandomStream(this.kind, this.rng, this.seed, count);
  }
}

/** A seed that is read as a number. */
const constantStream = (seed: number, count = 0): Stream => ({
  seed,
  count,
  value: seed,
  at: (later) => constantStream(seed, later),
});

/** Whether the option `draws` replaces it: a key of a hash is no number in [0, 1] that could be given. */
export const isReplaced = ({ kind }: Draw): boolean => kind !== "seed";

/** Whether the option `draws` has an effect. */
export const takesDraws = (graph: Graph): boolean => graph.draws.some(isReplaced);

/** The stream of draws that a caller gives, again and again. Throws `InputError` for a number outside [0, 1]. */
export function givenStream(draws: readonly number[], count = 0): Stream {
  const value = draws[count % draws.length];
  if (value === undefined || !(value >= 0 && value <= 1)) throw invalid(`a draw must be in [0, 1], found ${value}`);
  return { seed: 0, count, value: Math.max(value, SMALLEST_DRAW), at: (later) => givenStream(draws, later) };
}

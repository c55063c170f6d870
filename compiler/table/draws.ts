/** Random numbers, drawn before the graph runs. */
import type { Draw } from "../graph/graph.js";
import * as I from "../graph/interval.js";
import { MAX_SEED } from "../graph/param.js";
import type { Lowering } from "./lowering.js";
import { uniformValue, type UniformValue } from "./value.js";

/** Where a stream of draws starts. */
export interface Seed {
  readonly kind: "seed";
  readonly seed: Draw["seed"];
}

/** A stream of a seed in a stage. Equal draws of a stage are shared. */
export interface Stream extends Seed {
  /** The number of the stream; undefined for that of llama.cpp's samplers. */
  readonly stream: number | undefined;
  /** The draws of the stage, by kind, seed, stream and index. */
  readonly draws: Map<string, number>;
}

const FRACTIONS = I.interval(2 ** -54, 1);
const SEEDS = I.interval(0, MAX_SEED);

export function drawFrom(
  cx: Lowering,
  kind: Draw["kind"],
  { seed, stream, draws }: Stream,
  at?: UniformValue,
): UniformValue {
  const draw: Draw = { kind, seed, ...(stream !== undefined && { stream }), ...(at && { at: at.expr }) };
  const key = JSON.stringify(draw);
  if (!draws.has(key)) cx.meter.check("draws", cx.draws.length + 1);
  const index = draws.get(key) ?? cx.draws.push(draw) - 1;
  draws.set(key, index);
  return uniformValue({ draw: index }, kind === "seed" ? SEEDS : FRACTIONS);
}

/** A seed as a number, the same for each token. */
export const seedNumber = (cx: Lowering, stream: Stream): UniformValue =>
  drawFrom(cx, "seed", { ...stream, stream: undefined });

/** Measurements with whole models: what a case is, and how two ways of doing the same are compared. */
import { spreadOf, type ModelMeasurement, type Spread } from "../results.js";

/** The models that cases run. */
interface Models {
  /** The demo model: trained, 2048 tokens. */
  readonly demo: string;
  /** Random weights, 128 columns, around a vocabulary of 128 256 tokens. */
  readonly random: string;
  /** Random weights in q8_0, 1024 columns and 4 layers, around a vocabulary of 32 000 tokens. */
  readonly wide: string;
  /** The same in f32, so that reading the weights is most of a decode. */
  readonly heavy: string;
}

/** One file each. */
export interface ModelCase {
  readonly name: string;
  measure(models: Models, rounds: number, signal: AbortSignal): Promise<ModelMeasurement[]>;
}

/** Seconds of the wall clock and of all processors. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - start) / 1e3, cpu: (user + system) / 1e6 };
}

/**
 * The cost of `of` relative to that of `over`: both run in each round, in alternating order, after one round to warm up. The spread
 * is over the rounds' ratios.
 */
export async function ratioOf(
  of: () => Promise<unknown>,
  over: () => Promise<unknown>,
  rounds: number,
  kind: keyof Cost = "wall",
): Promise<Spread> {
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    let [first, second] = [0, 0];
    const runs = [
      async (): Promise<void> => void (first = (await costOf(of))[kind]),
      async (): Promise<void> => void (second = (await costOf(over))[kind]),
    ];
    for (const run of round % 2 === 0 ? runs : runs.reverse()) await run();
    if (round > 0) ratios.push(first / second);
  }
  return spreadOf(ratios);
}

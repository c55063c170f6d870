/** The chains, and what each side of the comparison gives. */
export const VOCABULARY = 128256;

export const CHAINS: Readonly<Record<string, string>> = {
  default: "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  min_p: "min_p(0.05) |> temp(0.8) |> dist(42)",
  top_p: "top_p(0.95) |> dist(42)",
  top_n_sigma: "top_n_sigma(1) |> dist(42)",
  greedy: "greedy()",
};

/** The token that one runtime picks first, and the microseconds of each round. */
export interface SideTimes {
  readonly side: string;
  readonly token: number | null;
  readonly us: readonly number[];
}

/** How often each side runs. */
export interface Rounds {
  /** Uncounted. */
  readonly warmUp: number;
  readonly count: number;
  /** A side that is slow ends after so many milliseconds, and at least `least` rounds. */
  readonly budgetMs: number;
  readonly least: number;
}

/** One runtime with one chain. */
export interface Side {
  readonly name: string;
  /** Picks a token. */
  readonly run: () => Promise<number | null> | number | null;
  readonly end: () => unknown;
}

/**
 * Rounds of all sides in turn, so that noise affects all of them equally; every other one backwards, as a side runs faster after one that
 * has left the logits in the processor's cache.
 */
export async function alternate(
  sides: readonly Side[],
  { warmUp, count, budgetMs, least }: Rounds,
): Promise<SideTimes[]> {
  const all = sides.map((side) => ({ side, token: null as number | null, us: [] as number[], spentMs: 0 }));
  for (let round = -warmUp; round < count; round++)
    for (const one of round % 2 === 0 ? all : all.toReversed()) {
      if (one.spentMs > budgetMs && one.us.length >= least) continue;
      const start = performance.now();
      const token = await one.side.run();
      const ms = performance.now() - start;
      one.spentMs += ms;
      if (round < 0) one.token = token;
      else one.us.push(ms * 1000);
    }
  for (const { side } of all) await side.end();
  return all.map(({ side, token, us }) => ({ side: side.name, token, us }));
}

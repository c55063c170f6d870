/** One of the likeliest rows that a chain keeps. */
export interface Alternative {
  /** The id of the token. */
  readonly token: number;
  /**
   * In [0, 1]; those of all rows sum to 1.
   * @unit 0 to 1
   */
  readonly probability: number;
}

/** Without `tokens`, the rows are the whole vocabulary. */
interface Rows {
  readonly tokens?: Int32Array | undefined;
  readonly probs?: Float32Array;
}

/** The `count` likeliest rows, likeliest first (the first of ties), and the probability of `picked`. */
export function likeliest(
  { tokens, probs = new Float32Array() }: Rows,
  picked: number,
  count: number,
): { probability: number; alternatives: Alternative[] } {
  const best: { row: number; probability: number }[] = [];
  probs.forEach((probability, row) => {
    if (!(probability > (best.length < count ? 0 : best[count - 1]!.probability))) return;
    const at = best.findIndex((other) => probability > other.probability);
    best.splice(at < 0 ? best.length : at, 0, { row, probability });
    best.length = Math.min(best.length, count);
  });
  const row = tokens ? tokens.indexOf(picked) : picked;
  return {
    probability: probs[row] ?? 0,
    alternatives: best.map(({ row, probability }) => ({ token: tokens?.[row] ?? row, probability })),
  };
}

/** Repetition, in n-grams of tokens. */

/** The tokens of a text. */
type Tokens = ArrayLike<number>;

interface Counts {
  /** Different n-grams. */
  readonly distinct: number;
  /** All n-grams: a text of L tokens has L - n + 1 of them, or none. */
  readonly all: number;
}

/** The n-grams of several texts; none crosses the border of a text. */
export function countNgrams(texts: readonly Tokens[], n: number): Counts {
  const seen = new Set<string>();
  let all = 0;
  for (const text of texts)
    for (let start = 0; start + n <= text.length; start++) {
      seen.add(Array.from({ length: n }, (_, i) => text[start + i]).join());
      all++;
    }
  return { distinct: seen.size, all };
}

/**
 * distinct-n: the different n-grams of all texts together, divided by all their n-grams; in (0, 1], 1 if none occurs twice. NaN if
 * every text is shorter than n tokens. Li et al. 2016, "A Diversity-Promoting Objective Function for Neural Conversation Models",
 * who divide by the number of tokens, which is n - 1 more for each text.
 */
export function distinct(texts: readonly Tokens[], n: number): number {
  const counts = countNgrams(texts, n);
  return counts.distinct / counts.all;
}

/**
 * seq-rep-n: the part of a text's n-grams that repeat an earlier one of the same text, `1 - different n-grams / n-grams`, as the mean
 * over the texts; in [0, 1), 0 if none repeats. Texts shorter than n tokens do not count; NaN if all are. Welleck et al. 2020,
 * "Neural Text Generation with Unlikelihood Training".
 */
export function repetition(texts: readonly Tokens[], n: number): number {
  const long = texts.filter(({ length }) => length >= n);
  const sum = long.reduce((total, text) => total + 1 - distinct([text], n), 0);
  return sum / long.length;
}

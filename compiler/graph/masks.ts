/** The constants in masks; the optimizer recognizes masks by them. */

/** Added to the logit of a dropped row to make it the lowest. */
export const PENALTY = 1e33;

/**
 * A step is strict. Differences are scaled by 2^100, then a bias below the smallest scaled difference (2^-149 * 2^100) lifts 0
 * above 0.
 */
export const LIFT = { s: 2 ** 100, b: 2 ** -60 } as const;

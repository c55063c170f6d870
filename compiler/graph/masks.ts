/** The numbers that masks are made with; the optimizer knows masks by them. */

/** Added to the logit of a dropped row so that it is lower than any other. */
export const PENALTY = 1e33;

/**
 * A step is strict. A difference of 0 is lifted above 0 by less than the smallest difference there is, once that is stretched
 * (2^-149 by 2^100).
 */
export const LIFT = { s: 2 ** 100, b: 2 ** -60 } as const;

/** How much the parity tests do, and from which seed: `GGSL_PARITY_CASES=5000 GGSL_PARITY_SEED=7 npm test`. */
const fromEnvironment = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

/** Cases for each sampler and backend. */
export const CASES = fromEnvironment("GGSL_PARITY_CASES", 300);

/** Where fast-check starts. Fixed, so that a failure on one machine is the same failure on the next. */
export const SEED = fromEnvironment("GGSL_PARITY_SEED", 20240517);

/** Tokens drawn with one seed. */
export const STEPS = 200;

/** How far two probabilities of the same row may be apart. */
export const PROBABILITY_TOLERANCE = 1e-5;

/** A decision this close to flipping is settled by rounding, and may fall either way. */
export const BOUNDARY = 1e-6;

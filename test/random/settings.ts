/** The number of programs and the seed: `npm run random -- --cases 5000 --seed 7`. */

const fromEnvironment = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

export const COUNT = fromEnvironment("GGSL_RANDOM_COUNT", 150);
/** Programs of the seed to skip. */
export const SKIPPED = fromEnvironment("GGSL_RANDOM_SKIPPED", 0);
/** Fixed, so that failures are reproducible. */
export const SEED = fromEnvironment("GGSL_RANDOM_SEED", 20240517);

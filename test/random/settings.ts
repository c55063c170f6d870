/** The number of programs and the seed: `npm run random -- --cases 5000 --seed 7`. */

const fromEnvironment = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

export const COUNT = fromEnvironment("GGSL_RANDOM_COUNT", 150);
/** Programs of the seed that are passed over. */
export const SKIPPED = fromEnvironment("GGSL_RANDOM_SKIPPED", 0);
/** Fixed, so that a failure on one machine is the same failure on the next. */
export const SEED = fromEnvironment("GGSL_RANDOM_SEED", 20240517);

/** How many programs the tests look at, and from which seed: `npm run random -- --count 5000 --seed 7`. */
import { BACKENDS, type Backend } from "../parity/backends.js";

const fromEnvironment = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

export const COUNT = fromEnvironment("GGSL_RANDOM_COUNT", 250);
/** Fixed, so that a failure on one machine is the same failure on the next. */
export const SEED = fromEnvironment("GGSL_RANDOM_SEED", 20240517);

export const ON: readonly Backend[] = process.env["GGSL_RANDOM_BACKENDS"]
  ? process.env["GGSL_RANDOM_BACKENDS"].split(",").map(backendOf)
  : BACKENDS;

function backendOf(name: string): Backend {
  const found = BACKENDS.find((b) => b === name);
  if (!found) throw new Error(`GGSL_RANDOM_BACKENDS: expected some of ${BACKENDS.join(", ")}, found \`${name}\``);
  return found;
}

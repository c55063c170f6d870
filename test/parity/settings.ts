/** How much the parity tests do, and from which seed: `GGSL_PARITY_CASES=5000 GGSL_PARITY_SEED=7 npm test`. */
import type { Backend } from "./backends.js";

const fromEnvironment = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

/** Cases for each sampler on the CPU. */
export const CASES = fromEnvironment("GGSL_PARITY_CASES", 150);

/**
 * The others share the compiler and all that is wrong in it with the CPU, the interpreter is slow, and WebAssembly has the
 * CPU's kernels: they run a part of the cases.
 */
const SHARE: Readonly<Record<Backend, number>> = { cpu: 1, vulkan: 1, wasm: 4, reference: 8 };
export const casesOn = (backend: Backend, cases: number): number => Math.ceil(cases / SHARE[backend]);

/** Where fast-check starts. Fixed, so that a failure on one machine is the same failure on the next. */
export const SEED = fromEnvironment("GGSL_PARITY_SEED", 20240517);

/** Tokens drawn with one seed: many in one case of 16, few in the others. */
export const STEPS = 200;
export const FEW_STEPS = 3;

/** How far two probabilities of the same row may be apart. */
export const PROBABILITY_TOLERANCE = 1e-5;

/** A decision this close to flipping is settled by rounding, and may fall either way. */
export const BOUNDARY = 1e-6;

/** The number of cases and the seed of the parity tests: `GGSL_PARITY_CASES=5000 GGSL_PARITY_SEED=7 npm test`. */
import type { Backend } from "./backends.js";

const fromEnvironment = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

/** Cases per sampler on the CPU. */
export const CASES = fromEnvironment("GGSL_PARITY_CASES", 100);

/**
 * Other backends run a part of the cases: they share the compiler and its bugs with the CPU, the interpreter is slow, and
 * WebAssembly has the CPU's kernels.
 */
const SHARE: Readonly<Record<Backend, number>> = {
  cpu: 1,
  ops: 1,
  passes: 1,
  bundles: 1,
  vulkan: 1,
  onnx: 4,
  wasm: 4,
  reference: 8,
};
export const casesOn = (backend: Backend, cases: number): number => Math.ceil(cases / SHARE[backend]);

/** The seed of fast-check. Fixed, so that failures are reproducible. */
export const SEED = fromEnvironment("GGSL_PARITY_SEED", 20240517);

/** Tokens drawn with one seed: many in one case of 16, few in the others. */
export const STEPS = 200;
export const FEW_STEPS = 3;

/** Largest allowed difference of two probabilities of a row. */
export const PROBABILITY_TOLERANCE = 1e-5;

/** A decision with a smaller margin is settled by rounding and may go either way. */
export const BOUNDARY = 1e-6;

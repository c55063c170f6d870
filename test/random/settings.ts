/** The number of programs and the seed: `npm run random -- --cases 5000 --seed 7`. */

const fromEnvironment = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

export const COUNT = fromEnvironment("GGSL_RANDOM_COUNT", 100);
/** The same, of programs over wide columns. */
export const WIDE_COUNT = fromEnvironment("GGSL_WIDE_COUNT", 15);
/** The same, in onnxruntime-node. */
export const ONNX_COUNT = fromEnvironment("GGSL_ONNX_COUNT", 15);
/** The same, in NumPy, and in PyTorch where it is installed. */
export const PYTHON_COUNT = fromEnvironment("GGSL_PYTHON_COUNT", 40);
/** Programs of the seed to skip. */
export const SKIPPED = fromEnvironment("GGSL_RANDOM_SKIPPED", 0);
/** Fixed, so that failures are reproducible. */
export const SEED = fromEnvironment("GGSL_RANDOM_SEED", 20240517);

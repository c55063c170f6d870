/**
 * Sampler settings of other tools as GGSL programs (`from/`), and GGSL chains as settings of llama.cpp (`to/`).
 * It imports the compiler alone, and no Node.js module.
 * @module @ggsl/settings
 */
export * from "./from/import.js";
export * from "./to/export.js";

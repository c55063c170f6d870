/**
 * Typed TypeScript modules of chains, for `ggsl gen` and the bundler plugin. It imports the compiler alone.
 * @module @ggsl/codegen
 */
export * from "./chains.js";
export * from "./command.js";
export * from "./module.js";

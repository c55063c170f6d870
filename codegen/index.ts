/** `@ggsl/codegen`: typed TypeScript modules of chains, for `ggsl gen` and the bundler plugin. It imports the compiler alone. */
export * from "./chains.js";
export * from "./command.js";
export * from "./module.js";

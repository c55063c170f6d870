/**
 * Typed TypeScript modules of chains, for `ggsl gen` and the bundler plugin. It imports the compiler alone.
 * @module @ggsl/codegen
 */
export {
  moduleChains,
  type ModuleChain,
  type ModuleChains,
  type ModuleGrammar,
  type ModuleInput,
  type ModuleOptions,
  type ModuleSet,
  type ModuleUniform,
} from "./chains.js";
export * from "./command.js";
export * from "./module.js";

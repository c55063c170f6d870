/**
 * Source text to a graph of ggml ops. It imports no Node.js module.
 * Other modules of this package can be imported by path; only the exports of this file are stable between versions.
 * @module @ggsl/compiler
 */
export { CompileError, isError, type Diagnostic, type Fix, type Note } from "./diagnostics/diagnostic.js";
export { formatDiagnostic, formatDiagnostics, type FormatOptions } from "./check/format.js";
export type { Importer, RefusedImport } from "./source/importer.js";
export {
  checkProgram,
  compileProgram,
  compileStages,
  graphOf,
  type Compilation,
  type CompileOptions,
  type OutputName,
} from "./driver.js";
export { costOf, type Cost } from "./graph/cost.js";
export { LIMIT_PRESETS, type LimitOptions, type LimitPreset, type Limits } from "./limits/limits.js";
export type { Graph } from "./graph/graph.js";
export { fromSpec, readSpec, SpecError, toSpec, writeSpec, type GraphSpec, type SpecOptions } from "./graph/json.js";
export { printGraph } from "./graph/text.js";
export type { Settings } from "./lower/params.js";
export { OptionError } from "./core/optionError.js";
export type { SourceFile, Span } from "./source/source.js";

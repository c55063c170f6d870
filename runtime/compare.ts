/**
 * Comparing samplers: what several chains write after one prompt, measured.
 * @module ggsl/compare
 */
export { compareChains } from "./compare/compare.js";
export type { ChainResult, Comparison, CurveName } from "./compare/comparison.js";
export { writeCsv } from "./compare/csv.js";
export type { Curve } from "./compare/curves.js";
export type { Measured, MeasureName, WrittenText } from "./compare/measures.js";
export { distinct, repetition } from "./compare/ngrams.js";
export type { ComparedChain, CompareOptions, CompareProgress } from "./compare/options.js";
export { drawFigure, type FigureOptions } from "./compare/plot/figure.js";
export { compareRows, compareText, type CompareRow } from "./compare/table.js";

/**
 * The plugin for Vite and Rollup.
 * @module ggsl/vite
 */
export { default, type GgslOptions, type GgslPlugin } from "@ggsl/vite";

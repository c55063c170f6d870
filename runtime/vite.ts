/** `ggsl/vite`: the plugin for Vite and Rollup. */
export { default, type GgslOptions, type GgslPlugin } from "@ggsl/vite";

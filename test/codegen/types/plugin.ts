/** The plugin has the plugin type of both bundlers. */
import ggsl from "ggsl/vite";
import type { Plugin as RollupPlugin } from "rollup";
import { defineConfig, type Plugin as VitePlugin } from "vite";

export const plugins: readonly [VitePlugin, RollupPlugin] = [ggsl(), ggsl({ dts: false })];
export default defineConfig({ plugins: [ggsl({ set: { "src/best.ggsl": { k: 40 } } })] });
// @ts-expect-error there is no such option
ggsl({ settings: {} });

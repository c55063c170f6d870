// `node build.mjs BUNDLER FOLDER` bundles page.js and its worker into a folder
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [, , bundler, folder] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));
const entries = ["page", "worker"].map((name) => join(here, `${name}.js`));

const BUNDLERS = {
  async esbuild() {
    const { build } = await import("esbuild");
    await build({ entryPoints: entries, outdir: folder, bundle: true, format: "esm", logLevel: "warning" });
  },

  async rollup() {
    const { rollup } = await import("rollup");
    // the work of @rollup/plugin-node-resolve
    const resolve = {
      name: "resolve",
      resolveId: (id) => (/^[./]/.test(id) ? null : fileURLToPath(import.meta.resolve(id))),
    };
    const bundle = await rollup({ input: entries, plugins: [resolve] });
    await bundle.write({ dir: folder, format: "es" });
  },

  async vite() {
    const { build } = await import("vite");
    const output = { entryFileNames: "[name].js" };
    await build({
      root: here,
      configFile: false,
      base: "./",
      logLevel: "warn",
      worker: { format: "es" },
      build: {
        outDir: folder,
        assetsDir: "",
        rolldownOptions: { input: entries[0], output },
        chunkSizeWarningLimit: 2000,
      },
    });
  },

  async webpack() {
    const { default: webpack } = await import("webpack");
    const compiler = webpack({
      mode: "development",
      devtool: false,
      context: here,
      entry: entries[0],
      performance: false,
      output: { path: folder, filename: "page.js" },
    });
    const stats = await new Promise((done, fail) => compiler.run((error, made) => (error ? fail(error) : done(made))));
    // a warning tells of an import that cannot be followed
    if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString("errors-warnings"));
  },
};

await BUNDLERS[bundler]();

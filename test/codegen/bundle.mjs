/**
 * Runs a bundler with the plugin in its own process: `node bundle.mjs rollup|vite|dev FOLDER [OPTIONS]`. The folder has an
 * entry.js; the result goes to standard output as one JSON object.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ggsl from "ggsl/vite";
import { rollup } from "rollup";
import { build, createServer } from "vite";

const [kind, folder, options = "{}"] = process.argv.slice(2);
const plugins = [ggsl(JSON.parse(options))];
const entry = join(folder, "entry.js");
const warnings = [];

const faultOf = ({ message, loc, frame, id }) => ({ message, loc, frame, id });
const common = { root: folder, configFile: false, logLevel: "silent", plugins };

const RUNS = {
  async rollup() {
    const onwarn = ({ message, loc }) => warnings.push({ message, loc });
    const bundle = await rollup({ input: entry, plugins, external: ["ggsl"], onwarn });
    await bundle.write({ file: join(folder, "out/rollup.mjs") });
    return { watched: bundle.watchFiles };
  },
  async vite() {
    await build({
      ...common,
      build: {
        outDir: join(folder, "out"),
        emptyOutDir: false,
        lib: { entry, formats: ["es"], fileName: () => "vite.mjs" },
        rollupOptions: { external: ["ggsl"] },
      },
    });
    return {};
  },
  /** Serves; then the imported file changes, breaks and is fixed. */
  async dev() {
    const server = await createServer({
      ...common,
      server: { middlewareMode: true, ws: false },
      optimizeDeps: { noDiscovery: true },
    });
    const module = () =>
      server.transformRequest("/chains.ggsl").then(
        ({ code }) => ({ code }),
        (error) => ({ fault: faultOf(error) }),
      );
    const imported = join(folder, "lib/shared.ggsl");
    const text = readFileSync(imported, "utf8");
    /** Writes the imported file, again as long as the server has not begun to watch it, until the module is as it should be. */
    const rewritten = async (changed, isSeen) => {
      let now;
      for (let i = 0; i < 100; i++) {
        writeFileSync(imported, changed);
        await new Promise((done) => setTimeout(done, 200));
        now = await module();
        if (isSeen(now)) break;
      }
      return now;
    };
    try {
      const importer = (await server.transformRequest("/entry.js")).code;
      const { code: first } = await module();
      const changed = text.replace("delta * green", "3 * delta * green");
      const { code: second } = await rewritten(changed, ({ code }) => code !== first);
      const { fault } = await rewritten(
        text.replace("delta * green", "delta * gren"),
        (now) => now.fault !== undefined,
      );
      const { code: last } = await rewritten(text, ({ code }) => code === first);
      return { importer, first, second, fault, fixed: last === first };
    } finally {
      await server.close();
    }
  },
};

const result = await RUNS[kind]().catch((error) => ({ fault: faultOf(error) }));
console.log(JSON.stringify({ ...result, warnings }));
process.exit();

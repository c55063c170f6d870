/** The playground as a static site in build/playground. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./process.js";
import { fingerprint, once } from "./stamp.js";

/** What vite reads. */
const SOURCES = [
  ...["compiler", "format", "settings", "codegen", "lsp", "runtime", "cli/html", "playground"],
  "package-lock.json",
];
const isSource = (path: string): boolean => !path.endsWith(".test.ts") && !path.split("/").includes("dist");
/** Texts in the page need this module; without it the page says so. */
export const LLAMA_MODULE = join("build", "wasm-llama", "out", "ggsl-llama.wasm");

const BUILD = join(root, "build");
const SITE = join(BUILD, "playground");

/** Builds the site unless it is up to date. Returns its folder. */
export async function buildPlayground(): Promise<string> {
  const optional = existsSync(join(root, LLAMA_MODULE)) ? [LLAMA_MODULE] : [];
  const site = {
    stampFile: join(BUILD, "playground.stamp"),
    stamp: fingerprint([...SOURCES, ...optional], (path) => path === LLAMA_MODULE || isSource(path)),
    outputs: [join(SITE, "index.html")],
  };
  await once(site, async () => {
    mkdirSync(BUILD, { recursive: true });
    // replaced as a whole, since another process may serve the present one
    const folder = mkdtempSync(join(BUILD, "playground-"));
    const vite = join("node_modules", "vite", "bin", "vite.js");
    await run(process.execPath, [vite, "build", "playground", "--outDir", folder, "--logLevel", "warn"]);
    // another process may have built the same meanwhile, and serve it
    const isThere = existsSync(site.stampFile) && readFileSync(site.stampFile, "utf8") === site.stamp;
    rmSync(isThere ? folder : SITE, { recursive: true, force: true });
    if (!isThere) renameSync(folder, SITE);
  });
  return SITE;
}

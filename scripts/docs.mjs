/**
 * Makes the pages of docs/ that are generated. `npm run docs` writes them; `--check` fails when one is stale. The compiler must
 * be built (`npm run build`).
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as graph from "./docs/graph.mjs";
import * as optimizer from "./docs/optimizer.mjs";
import * as std from "./docs/std.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGES = { "docs/graph.md": graph, "docs/std.md": std, "docs/optimizer.md": optimizer };

for (const [file, { page }] of Object.entries(PAGES)) {
  const path = join(root, file);
  const old = existsSync(path) ? readFileSync(path, "utf8") : "";
  const text = page(old);
  if (old === text) continue;
  if (process.argv.includes("--check")) {
    console.error(`${file} is stale; run \`npm run docs\``);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`wrote ${file}`);
  }
}

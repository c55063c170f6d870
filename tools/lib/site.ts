/** The site in build/site: the pages, the reference of the API, and the playground. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { writePages } from "../../site/pages.js";
import { makeRelative } from "../../site/relative.js";
import { buildPlayground } from "./playground.js";
import { root, run } from "./process.js";

const BUILD = join(root, "build");
const PAGES = join(BUILD, "site-pages");
const SITE = join(BUILD, "site");

/** Builds the site. Returns its folder. */
export async function buildSite(): Promise<string> {
  rmSync(PAGES, { recursive: true, force: true });
  mkdirSync(join(PAGES, ".vitepress", "theme"), { recursive: true });
  writePages(PAGES);
  await run(process.execPath, [join("node_modules", "typedoc", "bin", "typedoc"), "--out", join(PAGES, "api"), "--logLevel", "Warn"]);
  writeFileSync(
    join(PAGES, ".vitepress", "config.ts"),
    `import { configOf } from "../../../site/config.js";\nexport default configOf(${JSON.stringify(root)}, ${JSON.stringify(PAGES)});\n`,
  );
  writeFileSync(join(PAGES, ".vitepress", "theme", "index.ts"), 'export { default } from "../../../../site/theme/index.js";\n');
  await build(PAGES, { outDir: SITE });
  makeRelative(SITE);
  cpSync(await buildPlayground(), join(SITE, "try"), { recursive: true });
  return SITE;
}

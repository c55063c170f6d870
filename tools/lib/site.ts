/** The site in build/site: the pages, the reference of the API, and the playground. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { writeApi } from "../../site/api.js";
import { writePages } from "../../site/pages.js";
import { makeRelative } from "../../site/relative.js";
import { isMarkdown } from "../../site/sources.js";
import { buildPlayground } from "./playground.js";
import { root } from "./process.js";
import { fingerprint, once } from "./stamp.js";

const BUILD = join(root, "build");
const SITE = join(BUILD, "site");

/** The variables of all pages. */
const DESIGN = "cli/html/design.css";

/** What the pages are made of, besides the files that they link to; the playground and the API are made of the packages. */
const SOURCES = [
  "docs",
  "site",
  "examples",
  "bench/results",
  "tools/lib",
  "tools/llama-server",
  DESIGN,
  "editors/vscode/syntaxes",
  "typedoc.json",
  "package-lock.json",
];
const PACKAGES = ["compiler", "codegen", "settings", "runtime", "server", "vite", "playground"];
const isSource = (path: string): boolean =>
  !/\/(dist|node_modules|__pycache__)\//.test(path) && !path.endsWith(".test.ts");

/** Builds the site unless it is up to date. Returns its folder. */
export async function buildSite(): Promise<string> {
  const pages = readdirSync(root).filter(isMarkdown);
  const stamp = fingerprint([...SOURCES, ...PACKAGES, ...pages], isSource);
  const made = { stampFile: join(BUILD, "site.stamp"), stamp, outputs: [join(SITE, "index.html")] };
  await once(made, async () => {
    const playground = await buildPlayground();
    // beside the site's own folder, so that both have the same depth; the present site is replaced as a whole
    const pages = mkdtempSync(join(BUILD, "site-pages-"));
    const folder = mkdtempSync(join(BUILD, "site-"));
    try {
      writePages(pages);
      await writeApi(join(pages, "api"));
      writeSettings(join(pages, ".vitepress"), pages);
      await build(pages, { outDir: folder });
      makeRelative(folder);
      cpSync(playground, join(folder, "try"), { recursive: true });
      rmSync(SITE, { recursive: true, force: true });
      renameSync(folder, SITE);
    } finally {
      for (const left of [pages, folder]) rmSync(left, { recursive: true, force: true });
    }
  });
  return SITE;
}

/** VitePress reads its settings and the theme from a folder of the pages; both are in `site/`. */
function writeSettings(folder: string, pages: string): void {
  const site = "../../../site";
  mkdirSync(join(folder, "theme"), { recursive: true });
  const args = [root, pages].map((path) => JSON.stringify(path)).join(", ");
  writeFileSync(
    join(folder, "config.ts"),
    `import { configOf } from "${site}/config.js";\nexport default configOf(${args});\n`,
  );
  writeFileSync(join(folder, "theme", "design.css"), siteDesign());
  writeFileSync(
    join(folder, "theme", "index.ts"),
    `import "./design.css";\nexport { default } from "../${site}/theme/index.js";\n`,
  );
}

/** The dark colours belong to a class here: VitePress lets a reader choose. */
function siteDesign(): string {
  const design = readFileSync(join(root, DESIGN), "utf8");
  const [light, dark] = design.split("@media (prefers-color-scheme: dark)");
  const values = /:root \{([^}]*)\}/.exec(dark ?? "")?.[1];
  if (values === undefined) throw new Error(`${DESIGN} has no dark colours`);
  return `${light!.replace(/^\s*color-scheme:.*$/m, "")}.dark {${values}}\n`;
}

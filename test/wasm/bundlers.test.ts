/** `loadWasm` in pages that each bundler makes of the built package, in every form that it takes. */
import { afterAll, beforeAll, describe, expect } from "@jest/globals";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { node } from "../codegen/ggsl.js";
import { browserTest, openFolder, patient, type Site } from "../playground/site.js";

const MODULE = "runtime/dist/wasm/ggsl.wasm";
const FORMS = [
  "nothing",
  "name",
  "relative",
  "above",
  "rooted",
  "absolute",
  "url",
  "bytes",
  "buffer",
  "module",
  "worker",
];

/** Those that depend on how a bundler treats the package's own addresses; the others are for `loadWasm` in the page to read. */
const BUNDLED = ["nothing", "relative", "worker"];
/** Has every form, and names what is missing; of other bundlers, `GGSL_WHOLE=1` tests these, too. */
const EVERY = "esbuild";

/** Whether it writes the package's module, too: of others, users copy it beside the script. */
const BUNDLERS = { esbuild: false, rollup: false, vite: true, webpack: true };

let folder: string;
let site: Site | undefined;

describe.each(Object.entries(BUNDLERS))("a page by %s", (bundler, writesModule) => {
  const isWhole = bundler === EVERY || process.env["GGSL_WHOLE"] === "1";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ggsl-bundler-"));
    const scripts = join(folder, "site", "page", "scripts");
    mkdirSync(scripts, { recursive: true });
    const { status, stderr } = node(["test/wasm/pages/build.mjs", bundler, scripts]);
    // a bundler may print hints
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
    for (const path of ["above.wasm", "page/of-page.wasm", "page/scripts/of-script.wasm"])
      copyFileSync(MODULE, join(folder, "site", path));
    if (!writesModule) copyFileSync(MODULE, join(scripts, "ggsl.wasm"));
    const type = bundler === "webpack" ? "" : 'type="module"';
    writeFileSync(join(folder, "site", "page", "index.html"), `<script ${type} src="scripts/page.js"></script>`);
  });
  afterAll(async () => {
    await site?.close();
    site = undefined;
    rmSync(folder, { recursive: true });
  });

  /** What the page says of a form: a token and its backend, or an error's message. */
  async function titleOf(form: string): Promise<string> {
    site ??= await openFolder(folder);
    const page = patient(await site.browser.newPage());
    await page.goto(`${site.url}site/page/#${form}`);
    await page.waitForFunction("document.title !== ''");
    const title = await page.title();
    await page.close();
    return title;
  }

  browserTest(`loads the module in ${isWhole ? "every form" : "the forms that it bundles"}`, async () => {
    for (const form of isWhole ? FORMS : BUNDLED) expect([form, await titleOf(form)]).toEqual([form, "1 on wasm"]);
  });

  if (!isWhole) return;
  browserTest("names the address of what is no module", async () => {
    expect(await titleOf("missing")).toMatch(
      /: http:\S+\/site\/page\/missing\.wasm returned status 404\. It is dist\/wasm/,
    );
    expect(await titleOf("html")).toMatch(
      /\/site\/page\/ is not a WebAssembly module: its \d+ bytes begin with "<script /,
    );
  });
});

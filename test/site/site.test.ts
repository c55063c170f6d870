/** The built site in a real browser, in a folder of a server: its links, its search, and what can be tried in it. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { attemptTool } from "../../tools/lib/process.js";
import { inBrowser, openFolder, SCREENSHOTS, type Site } from "../playground/site.js";
import { visit } from "../playground/visit.js";
import { brokenLinks } from "./links.js";

const FOLDER = join("build", "site");
/** A busy machine takes its time. */

beforeAll(async () => {
  const { status, output } = await attemptTool("site", []);
  expect(status === 0 ? "" : output).toBe("");
}, 600_000);

test("every link, picture and anchor has a target", () => {
  // the server's page for unknown addresses is shown at any of them
  expect(brokenLinks(FOLDER, (page) => page === "404.html" || page.startsWith("try/"))).toEqual([]);
});

test("every page of docs/ is in the side bar", () => {
  const contents = readFileSync("docs/README.md", "utf8");
  const pages = readdirSync("docs").filter((name) => name.endsWith(".md") && name !== "README.md");
  expect(pages.filter((name) => !contents.includes(`](${name})`))).toEqual([]);
});

inBrowser("the site in Chromium", () => {
  let site: Site;
  let home: string;
  beforeAll(async () => {
    // not at the root of the server
    site = await openFolder(dirname(FOLDER));
    home = `${site.url}${basename(FOLDER)}/`;
  });
  afterAll(() => site?.close());

  test("the search finds a sampler and leads to it", async () => {
    const v = await visit(site.browser, home);
    await v.page.getByRole("button", { name: "Search" }).click();
    await v.page.getByRole("searchbox").fill("tail_free");
    const found = v.page.getByRole("option").filter({ hasText: "tail_free" }).first();
    await found.waitFor();
    await v.page.screenshot({ path: join(SCREENSHOTS, "site-search.png") });
    await found.click();
    await v.page.waitForURL(/\/std\.html#tail_free$/);
    await v.page.getByRole("heading", { name: "tail_free" }).waitFor();
    await v.close();
  });

  test.each([
    ["a standard sampler", "std.html#top_k", "top_k", /top_k\(k: k\)/],
    ["a construct of the language", "language.html#memory", undefined, /./],
  ] as const)("%s is tried where it is described", async (_, path, name, stage) => {
    const v = await visit(site.browser, home + path);
    const heading = v.page.locator(`h2[id="${path.split("#")[1]!}"]`);
    const tried = heading.locator("xpath=following::div[contains(@class,'try-it')][1]");
    const button = tried.getByRole("button");
    await button.waitFor();
    // before it is asked for, nothing is loaded
    expect(await v.page.locator("iframe").count()).toBe(0);
    // the page's script may not listen yet
    await expectFrame(v.page, button);
    const frame = tried.frameLocator("iframe");
    const program = frame.locator(".cm-content");
    await program.waitFor();
    const text = await program.innerText();
    expect(text).toContain(name === undefined ? "state" : `import { ${name}`);
    await frame.locator("#stages").filter({ hasText: stage }).waitFor();
    expect(await frame.locator("#diagnostics").innerText()).toBe("");
    await v.page.screenshot({ path: join(SCREENSHOTS, `site-${path.split(".")[0]!}.png`) });
    await v.close();
  });

  const PAGES = ["", "std.html", "language.html", "api/ggsl.html", "server.html"];

  test.each(["light", "dark"] as const)("nothing is inaccessible, %s", async (colorScheme) => {
    for (const path of ["", "first-sampler.html"]) {
      const v = await visit(site.browser, home + path, { colorScheme });
      await v.page.getByRole("button", { name: "Search" }).waitFor();
      expect([path, await accessibilityFaults(v.page)]).toEqual([path, []]);
      await v.page.screenshot({
        path: join(SCREENSHOTS, `site-${path === "" ? "home" : "page"}-${colorScheme}.png`),
      });
      await v.close();
    }
  });

  test("a phone shows every page without moving it sideways", async () => {
    for (const path of PAGES) {
      const v = await visit(site.browser, home + path, { viewport: { width: 390, height: 844 } });
      const [shown, needed] = await v.page.evaluate<[number, number]>(
        "[innerWidth, document.documentElement.scrollWidth]",
      );
      expect([path, needed]).toEqual([path, shown]);
      await v.page.screenshot({ path: join(SCREENSHOTS, `site-phone-${path.replace(/\W/g, "-") || "home"}.png`) });
      await v.close();
    }
  });
});

/** Clicks until the frame is there. */
async function expectFrame(page: Page, button: ReturnType<Page["getByRole"]>): Promise<void> {
  for (let tries = 0; (await page.locator("iframe").count()) === 0; tries++) {
    if (tries > 100) throw new Error("the button opens no frame");
    await button.click();
    await page.waitForTimeout(200);
  }
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds, as its rule and the first element. */
async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>("axe.run()");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}

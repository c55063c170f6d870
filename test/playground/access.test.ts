/** The playground without a mouse, without sight, on a phone: axe, the keyboard, help in the editor, the examples. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { inBrowser, openSite, type Site } from "./site.js";
import { until, visit, type Visit } from "./visit.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };

let site: Site;

/** What axe finds, as a line for each element. */
async function findings({ page }: Visit): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))",
  );
}

/** Waits for everything that the page shows on load. */
async function whole(v: Visit): Promise<void> {
  await v.see("#stages .status", /computed on wasm/);
  await v.page.locator("#graph .status", { hasText: "nodes; without the optimizer" }).waitFor({ state: "attached" });
  if (await v.page.getByRole("button", { name: "Write" }).isVisible())
    await v.see("#text .side:nth-child(2) .hint", /tokens/);
}

inBrowser("access to the playground", () => {
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test.each([
    ["light", DESK],
    ["dark", DESK],
    ["light", PHONE],
  ] as const)("axe finds nothing, and nothing scrolls sideways: %s, %o", async (colorScheme, viewport) => {
    const v = await visit(site.browser, site.url, { viewport, colorScheme });
    await whole(v);
    expect(await findings(v)).toEqual([]);
    await v.page.getByLabel("the likeliest as bars").check();
    await v.page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))");
    await v.type("chain c = gredy()");
    await v.see("#diagnostics .error", /did you mean `greedy`/);
    expect(await findings(v)).toEqual([]);
    const widths = "[innerWidth, document.documentElement.scrollWidth]";
    const [shown, needed] = await v.page.evaluate<[number, number]>(widths);
    expect(needed).toBeLessThanOrEqual(shown);
    await v.page.getByRole("button", { name: "Examples" }).click();
    await v.page.locator(".card svg").first().waitFor();
    expect(await findings(v)).toEqual([]);
    await v.close();
  });

  test("an example is chosen by keyboard; its parameters have their own values and ranges", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.see("#stages .status", /computed on wasm/);
    await v.page.getByLabel("t, exact").fill("3");
    await v.page.getByRole("button", { name: "Examples" }).focus();
    await v.page.keyboard.press("Enter");
    const card = v.page.getByRole("button", { name: /Min-p and temperature/ });
    await card.locator("svg rect.after").first().waitFor();
    await card.focus();
    await v.page.keyboard.press("Enter");
    await v.see("#stages .stage", /^min_p\(p\)/);
    expect(await v.page.getByLabel("t, exact").inputValue()).toBe("1.2");

    // a program with a parameter of the same name and another default
    await v.page.getByLabel("t, exact").fill("2.5");
    await v.type('import { temp, dist } from "std"\nchain other(t: f32 >= 0 = 0.5) = temp(t) |> dist\n');
    await until(
      () => v.page.getByLabel("t, exact").inputValue(),
      (value) => value === "0.5",
    );
    await v.see("#parameters .ends", /^0 to 2$/);
    await v.close();
  });

  test("F1 explains the name at the cursor, and a call shows its parameters", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.see("#stages .status", /computed on wasm/);
    await v.type('import { min_p, dist } from "std"\n\nchain c = min_p(0.1) |> dist');
    await until(v.diagnostics, (text) => text === "");
    for (let i = 0; i < "(0.1) |> dist".length + 1; i++) await v.page.keyboard.press("ArrowLeft");
    await v.page.keyboard.press("F1");
    await v.see("#editor .doc", /sampler min_p\(.*Keep tokens/s);
    await v.page.keyboard.press("Escape");
    await v.page.locator("#editor .doc").waitFor({ state: "detached" });
    await v.page.keyboard.press("ArrowRight");
    await v.page.keyboard.press("ArrowRight");
    await v.see("#editor .signature code", /^min_p\(p: f32 .*min_keep/);
    expect(await v.page.locator("#editor .signature strong").innerText()).toMatch(/^p: f32/);
    await v.page.locator("#editor .cm-line span", { hasText: "dist" }).last().hover();
    await v.see("#editor .cm-tooltip-hover .doc", /sampler dist\(/);
    await v.close();
  });

  test("a stage is chosen by keyboard, and its tokens are named", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.zipf();
    await v.type('import { top_k, temp } from "std"\nchain c = top_k(3) |> temp(0.5)\n');
    await v.see("#stages .stage", /^temp\(0\.5\)3 tokens/);
    await v.page.locator("#stages .stage").first().getByRole("button").focus();
    await v.page.keyboard.press("Enter");
    await v.see("#stages .whole h3", /^top_k\(3\)$/);
    await v.see("#stages .whole .row.dropped", /dropped/);
    expect(await v.page.locator("#stages .whole .row:not(.dropped)").count()).toBe(3);
    // the focus stays on the button, also when the stages are drawn again
    await v.page.waitForFunction("document.activeElement.getAttribute('aria-pressed') === 'true'");
    await v.page.keyboard.press("Enter");
    await v.see("#stages .whole h3", /^The next token$/);
    await v.close();
  });
});

/** The built playground in a real browser. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { join } from "node:path";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { inBrowser, openSite, SCREENSHOTS, type Site } from "./site.js";
import { until, visit, type Visit } from "./visit.js";

let site: Site;

const CHAIN = `import { top_k, temp, dist } from "std"

chain warm(t: f32 in [0.1, 2] = 1) = top_k(8) |> temp(t) |> dist(seed: 7)
`;

const STEADY = `import { mirostat_v2 } from "std"

chain steady(tau: f32 in [0, 10] = 3) = mirostat_v2(tau, 0.2, seed: 5)
`;

/** The page's Zipf logits, with its initial vocabulary. */
const ZIPF = Float32Array.from({ length: 500 }, (_, i) => -Math.log(i + 1));

inBrowser("the playground in Chromium", () => {
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test("an error is shown while typing, and disappears when it is fixed", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.see("#stages .status", /computed on wasm/);
    await v.type(CHAIN.replace("temp(t)", "tmp(t)"));
    await v.see("#diagnostics", /error E\d{4}: .*`tmp`/);
    expect(await v.diagnostics()).toMatch(/help: .*`temp`/);
    expect(await v.page.locator("#stages").getAttribute("class")).toContain("stale");
    await v.page.locator("#editor .cm-lintRange-error").waitFor();
    await v.type(CHAIN);
    await v.see("#stages .stage h3", /top_k\(8\)/);
    expect(await v.diagnostics()).toBe("");
    expect(await v.page.locator("#stages").getAttribute("class")).not.toContain("stale");
    await v.close();
  });

  test("a button mends what the compiler knows to mend", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.see("#stages .status", /computed on wasm/);
    await v.type(CHAIN.replace("temp(t)", "tmp(t)"));
    await v.page.getByRole("button", { name: "Change to temp" }).click();
    await until(v.program, (text) => text === CHAIN);
    await until(v.diagnostics, (text) => text === "");
    // two edits of one fix
    await v.type(CHAIN.replace("temp, ", "").replace("dist }", "dist }"));
    await v.page.getByRole("button", { name: 'Import temp from "std"' }).click();
    await until(v.diagnostics, (text) => text === "");
    // none where the compiler knows none
    await v.type("chain c = 1");
    await v.see("#diagnostics", /error E\d{4}/);
    expect(await v.page.locator("#diagnostics .fix").count()).toBe(0);
    await v.close();
  });

  test("labels of plots have 11 pixels and more, on a wide screen and on a phone", async () => {
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const v = await visit(site.browser, site.urlWithoutModel, { viewport });
      await v.see("#stages .stage", /^top_k\(40\)/);
      await v.page.locator("#stages .stage .chart").nth(5).waitFor();
      const sizes = await v.page.evaluate<number[]>(
        `[...document.querySelectorAll("#stages .chart text")].map((text) =>
          parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)`,
      );
      expect(sizes.length).toBeGreaterThan(60);
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(11);
      await v.close();
    }
  });

  test("a phone shows the whole program, no keys, and what is not about the text folded", async () => {
    const v = await visit(site.browser, site.urlWithoutModel, { viewport: { width: 390, height: 844 } });
    await v.see("#stages .status", /computed on wasm/);
    const [shown, needed] = await v.page.evaluate<[number, number]>(
      "(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight])(document.querySelector('#editor').shadowRoot.querySelector('.cm-scroller'))",
    );
    expect(needed).toBeLessThanOrEqual(shown);
    expect(await v.page.locator("#editor-keys").isVisible()).toBe(false);
    expect(await v.page.locator("section > details[open]").count()).toBe(0);
    await v.page.getByText("Compiled graph").click();
    await v.see("#graph .status", /nodes; without the optimizer/);
    await v.close();
  });

  test("a warning does not stop the chain", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.type(CHAIN.replace("temp(t)", "temp(t) |> temp(1)"));
    await v.see("#diagnostics", /warning W\d{4}/);
    await v.see("#stages .status", /Picks token \d+/);
    await v.close();
  });

  test("a slider moves the bars, and compiles nothing", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.zipf();
    await v.type(CHAIN);
    await v.see("#stages .stage", /^top_k\(8\)500 → 8 tokens/);
    await v.page.getByLabel("the likeliest as bars").check();
    const bar = v.page.locator("#stages .stage").nth(1).locator("rect.after").nth(1);
    const before = Number(await bar.getAttribute("height"));
    await v.page.getByRole("slider", { name: "t" }).focus();
    for (let i = 0; i < 4; i++) await v.page.keyboard.press("PageDown");
    // a lower temperature: the second token becomes less likely
    await until(
      async () => Number(await bar.getAttribute("height")),
      (height) => height < before,
    );
    // text and graph are compiled meanwhile, but no slider compiles anything
    await until(
      async () => {
        const [height, compiled] = [await bar.getAttribute("height"), await compiledIn(v)];
        await v.page.keyboard.press("ArrowRight");
        await until(
          () => bar.getAttribute("height"),
          (next) => next !== height,
        );
        return (await compiledIn(v)) - compiled;
      },
      (count) => count === 0,
    );
    expect(Number(await v.page.getByLabel("t, exact").inputValue())).toBeLessThan(1);
    await v.page.getByLabel("t, exact").fill("7");
    await v.see("#parameters .fault", /must be/);
    await v.close();
  });

  test("the numbers equal the native runtime's", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.zipf();
    await v.type(CHAIN);
    await v.see("#stages .stage", /^top_k\(8\)500 → 8 tokens/);
    await v.page.getByLabel("t, exact").fill("0.5");
    await v.see("#stages .status", /Picks token/);
    const { candidates, token } = await compile(CHAIN).evaluate(ZIPF, { backend: "cpu", uniforms: { t: 0.5 } });
    const wanted = candidates.map(({ prob }) => prob.toFixed(3));
    await v.page.locator("#stages .stage").nth(1).getByRole("button").click();
    await v.see("#stages .whole h3", /^temp\(t\)$/);
    const shown = async (): Promise<string[]> => {
      await v.page.locator("#stages summary").click();
      const cells = await v.page.locator("#stages td:nth-child(3)").allTextContents();
      return cells.filter((cell) => cell !== "dropped").map((cell) => Number(cell).toFixed(3));
    };
    await until(shown, (cells) => cells.join() === wanted.join());
    await v.see("#stages .status", new RegExp(`Picks token ${token};`));
    await v.close();
  });

  test("states are shown over the steps, and equal the native runtime's", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.zipf();
    await v.type(STEADY);
    await v.see("#states code", /^mu$/);
    const graph = compile(STEADY).rowsGraph;
    using evaluator = createEvaluator(graph, ZIPF.length, { backend: "cpu" });
    const tokens = Array.from({ length: 100 }, () => {
      const { token } = evaluator.evaluate(ZIPF);
      evaluator.accept();
      return token;
    });
    await v.see("#states .status", new RegExp(`first tokens ${tokens.slice(0, 12).join(" ")}$`));
    const last = Number(evaluator.states["mu"]!.toPrecision(4));
    await v.see("#states figcaption", new RegExp(`^mu last ${last}$`));
    const points = await v.page.locator("#states polyline").first().getAttribute("points");
    // the values before each of 100 steps, and after the last one
    expect(points!.split(" ")).toHaveLength(101);
    await v.page.screenshot({ path: join(SCREENSHOTS, "states.png"), fullPage: true });
    await v.close();
  });

  test("a stop is shown beside the steps", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.zipf();
    await v.type(`sampler ending(seed: seed) {
  state picks: i32 = 0
  pick sample(seed)
  stop when picks >= 2 as "three"
  after pick { picks += 1 }
}
chain c = ending(1)
`);
    await v.see("#states .status", /; a text ends at token 3: stop "three"$/);
    await v.close();
  });

  test("completion offers samplers with their docs, imports them, and then their parameters", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.see("#stages .status", /computed on wasm/);
    await v.type("chain c = min_");
    await v.page.keyboard.type("p");
    await v.page.locator("#editor .cm-tooltip-autocomplete li", { hasText: "min_p" }).first().waitFor();
    await v.page.keyboard.press("Control+Space");
    await v.see("#editor .cm-completionInfo", /Keep tokens/i);
    await v.page.screenshot({ path: join(SCREENSHOTS, "completion.png") });
    await v.page.keyboard.press("Enter");
    await until(v.program, (text) => text === 'import { min_p } from "std"\n\nchain c = min_p');
    await v.page.keyboard.type("(");
    await v.page.keyboard.press("Control+Space");
    await v.page.locator("#editor .cm-tooltip-autocomplete li", { hasText: "min_keep" }).waitFor();
    await v.close();
  });

  test("the graph is drawn and described, with what the optimizer removed", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.type(CHAIN);
    await v.see("#stages .stage h3", /top_k\(8\)/);
    await v.see("#graph .legend", /dist\(seed: 7\)/);
    await v.see("#graph .status", /^\d+ nodes; without the optimizer \d+: it removed \d+/);
    expect(await v.page.locator("#graph svg .node").count()).toBeGreaterThan(5);
    // it is folded, and then fits into its frame
    const drawing = v.page.locator("#graph .drawing");
    expect(await drawing.isVisible()).toBe(false);
    await v.page.locator("#graph summary", { hasText: /^Drawing$/ }).click();
    await drawing.waitFor();
    const [frame, inner] = await v.page.evaluate<[number, number]>(
      "(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])(document.querySelector('#graph .drawing'))",
    );
    expect(inner).toBeLessThanOrEqual(frame);
    await v.page.locator("#graph summary", { hasText: /^Text$/ }).click();
    expect(await v.page.locator("#graph pre").first().innerText()).toMatch(/^graph @warm\(logits: f32\[V\]\)/);
    await v.page.locator("#graph summary", { hasText: "removed" }).click();
    await v.see("#graph td", /^remove-dead$|^few-rows$|^ratio-pick$/);
    await v.close();
  });

  test.each([
    ["wide", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
    ["narrow", { viewport: { width: 400, height: 800 }, colorScheme: "light" }],
    ["dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
  ] as const)("no content is clipped: %s", async (name, options) => {
    const v = await visit(site.browser, site.url, options);
    if (name === "narrow") await v.page.getByText("Compiled graph").click();
    await v.see("#graph .status", /nodes; without the optimizer/);
    await seeTexts(v);
    const [shown, needed] = await v.page.evaluate<[number, number]>(
      "[innerWidth, document.documentElement.scrollWidth]",
    );
    expect(needed).toBeLessThanOrEqual(shown);
    await v.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
    await v.close();
  });

  test("a link restores the page it was created from", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.type(CHAIN);
    await v.see("#stages .stage h3", /top_k\(8\)/);
    await v.page.getByLabel("t, exact").fill("0.25");
    await v.page.locator("#share").click();
    const link = await v.page.getByLabel("Link to this program").inputValue();
    await v.close();
    const other = await visit(site.browser, link);
    await other.see("#stages .stage h3", /top_k\(8\)/);
    expect(await other.program()).toBe(CHAIN);
    expect(await other.page.getByLabel("t, exact").inputValue()).toBe("0.25");
    await other.close();
  });
});

/** Waits for both texts, if the build can write any. */
async function seeTexts(v: Visit): Promise<void> {
  if (await v.page.getByRole("button", { name: "Write" }).isVisible())
    await v.see("#text .side:nth-child(2) .hint", /tokens/);
}

const compiledIn = async ({ page }: Visit): Promise<number> =>
  Number(await page.locator("#stages").getAttribute("data-compiled"));

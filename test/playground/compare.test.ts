/** The page that compares chains, in Chromium: what it shows is what the package computes in Node.js with the same module. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { compareChains } from "../../runtime/compare/compare.js";
import { writeCsv } from "../../runtime/compare/csv.js";
import { drawFigure } from "../../runtime/compare/plot/figure.js";
import { compareRows } from "../../runtime/compare/table.js";
import { loadModel, loadModelFromBytes } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/file.js";
import { open } from "../server/open.js";
import { accessibilityFaults } from "./accessibility.js";
import { inBrowser, openSite, SCREENSHOTS, type Site } from "./site.js";
import { visit, type Visit } from "./visit.js";
import { isBuilt, llamaTest } from "../wasm/llamaTest.js";

const PIPELINE = "top_k(20) |> temp(1.2) |> dist()";
/** A chain of the user's own, beside one that is only a part of it. */
const PROGRAM = `import { dist, temp } from "std"
sampler top_a(a: f32 in [0, 1] = 0.2) {
  keep prob >= a * max(prob) ^ 2
}
chain front = top_a(0.1)
chain own = front |> temp(1.5) |> dist()`;

let site: Site;

const openPage = (options = {}): Promise<Visit> => visit(site.browser, `${site.url}compare.html`, options);

async function fill({ page }: Visit, chains: readonly string[], numbers: Readonly<Record<string, number>> = {}) {
  for (let i = 0; i < 4; i++) await page.getByLabel(`Chain ${i + 1}`).fill(chains[i] ?? "");
  for (const [label, value] of Object.entries(numbers)) await page.getByLabel(label).fill(String(value));
}

const start = ({ page }: Visit): Promise<void> => page.getByRole("button", { name: "Compare" }).click();

const STATUS = "#compare .status";

inBrowser("comparing samplers", () => {
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test("the playground links to it", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.page.getByRole("link", { name: "Compare samplers" }).click();
    await v.see("h1", /^Compare samplers$/);
    if (!isBuilt) await v.see("#compare .notice", /no model module.*npm run build:wasm -- --llama/);
    await v.close();
  });

  test("at a server its model writes, and the measures are those of the package", async () => {
    const server = await open();
    try {
      using model = await loadModel(DEMO_MODEL, { backend: "cpu" });
      const chains = [
        { name: PIPELINE, chain: compilePipeline(PIPELINE) },
        { name: "own", chain: compile(PROGRAM, { chain: "own" }) },
      ];
      const counts = { texts: 3, tokens: 8, seed: 7 };
      // one text at a time, as the server rounds it
      const expected = await compareChains(model, "And God said", { ...counts, chains, sequences: 1 });
      const v = await visit(site.browser, `${server.url}/compare.html`);
      await v.see("#server .status", /come from this server's model, demo/);
      expect(await v.page.locator("#result").isVisible()).toBe(false);
      await fill(v, [PIPELINE, PROGRAM], { "texts of each chain": 3, "tokens of a text": 8, seed: 7 });
      await v.page.getByLabel("prompt").fill("And God said");
      await start(v);
      await v.page.locator(STATUS, { hasText: "Done: 3 texts" }).waitFor();
      const texts = await v.page.locator("#result blockquote").allTextContents();
      expect(texts).toEqual(expected.chains.flatMap((chain) => chain.texts.map(({ text }) => text)));
      const cells = await v.page.locator("#result td").allTextContents();
      // of the last digit shown, which rounding may decide
      const wanted = compareRows(expected).flatMap(({ values }) => values);
      expect(cells.map(Number)).toEqual(wanted.map((value) => expect.closeTo(Number(value), 1)));
      expect(cells.every((cell) => cell !== "-")).toBe(true);
      expect(await accessibilityFaults(v.page)).toEqual([]);
      await v.close();
    } finally {
      await server.close(0);
    }
  });

  test("it takes over the playground's program with its parameters, and leads back to it", async () => {
    const v = await visit(site.browser, site.urlWithoutModel);
    await v.type(`${PROGRAM.replace("own =", "own(t: f32 in [0.1, 5] = 1.5) =").replace("temp(1.5)", "temp(t)")}\n`);
    await v.page.locator("#chains").selectOption("own");
    await v.page.getByLabel("t, exact").fill("2");
    await v.page.getByRole("link", { name: "Compare samplers" }).click();
    if (!isBuilt) await v.see("#compare .notice", /no model module/);
    else {
      const [program, against] = [v.page.getByLabel("Chain 1"), v.page.getByLabel("Chain 2")];
      expect(await program.inputValue()).toMatch(/^import [^]*chain own\(t[^]*\n\nchain as_set = own\(t: 2\)\n$/);
      expect(await against.inputValue()).toBe("top_k(40) |> temp(0.8) |> dist");
    }
    await v.page.getByRole("link", { name: "Playground" }).click();
    await v.see("#stages .stage h3", /front/);
    expect(await v.page.getByLabel("t, exact").inputValue()).toBe("2");
    await v.close();
  });

  llamaTest("table, figure, texts and files are those of the package", async () => {
    using model = await loadModelFromBytes(readFileSync(DEMO_MODEL));
    const chains = [
      { name: PIPELINE, chain: compilePipeline(PIPELINE) },
      { name: "own", chain: compile(PROGRAM, { chain: "own" }) },
    ];
    const counts = { texts: 6, tokens: 10, seed: 7 };
    const expected = await compareChains(model, "And God said", { ...counts, chains, sequences: 8 });

    const v = await openPage({ colorScheme: "dark" });
    await fill(v, [PIPELINE, PROGRAM], { "texts of each chain": 6, "tokens of a text": 10, seed: 7 });
    // by keyboard
    await v.page.getByLabel("prompt").fill("And God said");
    await v.page.keyboard.press("Enter");
    await v.page.locator(STATUS, { hasText: "Done: 6 texts" }).waitFor();
    await v.see("#compare li", /`front` picks no token/);

    const cells = await v.page.locator("#result td").allTextContents();
    expect(cells).toEqual(compareRows(expected).flatMap(({ values }) => values));
    const texts = await v.page.locator("#result blockquote").allTextContents();
    expect(texts).toEqual(expected.chains.flatMap((chain) => chain.texts.slice(0, 4).map(({ text }) => text)));
    for (const [label, content] of [
      ["CSV", writeCsv(expected)],
      ["SVG", drawFigure(expected)],
    ] as const) {
      const [download] = await Promise.all([
        v.page.waitForEvent("download"),
        v.page.getByRole("link", { name: label }).click(),
      ]);
      expect(readFileSync(await download.path(), "utf8")).toBe(content);
    }
    // the drawing is shown, not only named
    const drawn =
      "(() => { const { complete, naturalWidth } = document.querySelector('#result img'); return complete && naturalWidth > 200; })()";
    expect(await v.page.evaluate(drawn)).toBe(true);
    expect(await accessibilityFaults(v.page)).toEqual([]);
    await v.page.screenshot({ path: join(SCREENSHOTS, "compare-dark.png"), fullPage: true });
    await v.close();
  });

  llamaTest("a telephone's screen", async () => {
    const v = await openPage({ viewport: { width: 390, height: 844 }, colorScheme: "light" });
    await fill(v, [PIPELINE, "min_p(0.1) |> dist()", "temp(0.5) |> dist()", PROGRAM], {
      "texts of each chain": 2,
      "tokens of a text": 4,
    });
    await start(v);
    await v.page.locator(STATUS, { hasText: "Done" }).waitFor();
    expect(await v.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(await accessibilityFaults(v.page)).toEqual([]);
    await v.page.screenshot({ path: join(SCREENSHOTS, "compare-phone.png"), fullPage: true });
    await v.close();
  });

  llamaTest("what cannot be compared is refused, and the page goes on", async () => {
    const v = await openPage();
    const many = `import { greedy } from "std"\n${["a", "b", "c", "d", "e"].map((name) => `chain ${name} = greedy`).join("\n")}`;
    const CASES: readonly (readonly [chains: readonly string[], message: RegExp])[] = [
      [[], /no chain to compare/],
      [["topk(3) |> greedy()"], /unknown sampler `topk`.*did you mean/s],
      [["top_k(3)"], /does not pick a token/],
      [[many], /from 1 to 4 chains to compare, found 5/],
      [['import { constrain, greedy } from "std"\nchain c(g: grammar) = constrain(g) |> greedy()'], /grammar/],
    ];
    for (const [chains, message] of CASES) {
      await fill(v, chains, { "texts of each chain": 2, "tokens of a text": 3 });
      await start(v);
      await v.page.locator(`${STATUS}.fault`, { hasText: message }).waitFor();
    }
    await fill(v, [PIPELINE], { "texts of each chain": 0 });
    await start(v);
    await v.see(`${STATUS}.fault`, /texts: expected an integer from 1 to 256, found 0/);
    await fill(v, [PIPELINE], { "texts of each chain": 2, "tokens of a text": 1024 });
    await start(v);
    await v.page.locator(`${STATUS}.fault`, { hasText: "the context size is" }).waitFor();
    // the same pipeline twice has two names
    await fill(v, ["greedy()", "greedy()"], { "tokens of a text": 3 });
    await start(v);
    await v.page.locator(STATUS, { hasText: "Done" }).waitFor();
    expect(await v.page.locator("#result thead code").allTextContents()).toEqual(["greedy()", "greedy() (2)"]);
    expect(await v.page.locator("#compare li").count()).toBe(2);
    await v.close();
  });

  llamaTest("it can be stopped, and shows the texts that had ended", async () => {
    const v = await openPage();
    await fill(v, [PIPELINE, "temp(1) |> dist()"], { "texts of each chain": 256, "tokens of a text": 64 });
    await start(v);
    await v.page.locator("#result table").waitFor();
    await v.page.getByRole("button", { name: "Stop" }).click();
    await v.page.locator(STATUS, { hasText: /^Stopped after \d+ texts/ }).waitFor();
    const shown = await v.page.locator("#result caption").innerText();
    const count = Number(shown.split(" ")[0]);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(256);
    expect(await v.page.locator(STATUS).innerText()).toBe(`Stopped after ${count} texts of each chain.`);
    expect(await v.page.getByRole("button", { name: "Compare" }).isEnabled()).toBe(true);
    await v.close();
  });
});

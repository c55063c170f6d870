/** Text of the demo model in the built playground; in a build without the model's module, the message. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { compile } from "../../runtime/chain.js";
import { loadModelFromBytes, type Model } from "../../runtime/model.js";
import { DEMO_MODEL } from "../model/file.js";
import { canBrowse, openSite, SCREENSHOTS, type Site } from "./site.js";
import { until, visit } from "./visit.js";

const inBrowser = canBrowse ? describe : describe.skip;
const hasModule = existsSync(join("build", "wasm-llama", "out", "ggsl-llama.wasm"));
const withModule = hasModule ? test : test.skip;

const GREEDY = 'import { greedy } from "std"\n\nchain best = greedy\n';
const PROMPT = "And the LORD said unto";
/** Mirostat's arguments. */
const [TAU, ETA] = [5, 0.1];

/** The points of a line in its drawing, 480 wide and 110 high. */
const pointsOf = async (line: Locator): Promise<[number, number][]> =>
  ((await line.getAttribute("points")) ?? "").split(" ").map((pair) => pair.split(",").map(Number) as [number, number]);

/** The y coordinates: the minimum is at 104, the maximum at 6. */
function heightsOf(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => 104 - (98 * (value - least)) / (most - least));
}

let site: Site;

/** As the page runs it, so that it rounds likewise. */
const loadHere = (): Promise<Model> => loadModelFromBytes(readFileSync(DEMO_MODEL), { backend: "wasm" });

inBrowser("text in the playground", () => {
  beforeAll(async () => {
    site = await openSite();
  }, 120_000);
  afterAll(() => site?.close());

  (hasModule ? test.skip : test)("a build without the model's module says how to build it", async () => {
    const v = await visit(site.browser, site.url);
    await v.see("#text", /no model module.*npm run build:wasm -- --llama/s);
    await v.close();
  });

  withModule(
    "two chains write side by side, as they do outside of the page",
    async () => {
      using model = await loadHere();
      const pieces: string[] = [];
      for await (const { text } of model.generate(PROMPT, { chain: compile(GREEDY), maxTokens: 24 })) pieces.push(text);

      const v = await visit(site.browser, site.url);
      await v.type(GREEDY);
      await v.see("#stages .stage h3", /^greedy/);
      await v.page.getByLabel("Prompt", { exact: true }).fill(PROMPT);
      await v.page.getByLabel("Tokens", { exact: true }).fill("24");
      await v.page.getByLabel("Stages to compare with").fill(`mirostat_v2(${TAU}, ${ETA})`);
      await v.page.getByRole("button", { name: "Write" }).click();
      await v.see("#text .side:nth-child(2) .hint", /24 tokens, the requested number/);
      const [ours, other] = [v.page.locator("#text .side").nth(0), v.page.locator("#text .side").nth(1)];
      expect((await ours.locator(".token").allTextContents()).join("")).toBe(pieces.join(""));
      expect(await other.locator(".token").count()).toBe(24);

      // the drawn line is mirostat's limit, computed from the shown probabilities
      expect(await ours.locator("figcaption code").allTextContents()).toEqual(["surprise, bits"]);
      expect((await other.locator("figcaption code").allTextContents()).slice(0, 2)).toEqual(["surprise, bits", "mu"]);
      const spans = await other.locator(".token").all();
      const titles = await Promise.all(spans.map((span) => span.getAttribute("title")));
      const surprises = titles.map((title) => -Math.log2(Number(title!.split(" ").at(-1))));
      let mu = 2 * TAU;
      const mus = surprises.map((surprise) => (mu -= ETA * (surprise - TAU)));
      expect(mus).toHaveLength(24);
      for (const [i, values] of [surprises, mus].entries()) {
        const expected = heightsOf(values);
        const drawn = await pointsOf(other.locator("polyline").nth(i));
        expect(drawn.map(([x]) => x)).toEqual(drawn.map(([x]) => x).toSorted((a, b) => a - b));
        expect(drawn.map(([, y]) => y)).toEqual(expected.map((y) => expect.closeTo(y, 0)));
        const ends = await other.locator("figcaption .ends").nth(i).innerText();
        expect(Number(ends.split(" ").at(-1))).toBeCloseTo(values.at(-1)!, 1);
      }

      // the keyboard moves from token to token, and shows the alternatives
      await other.locator(".token").first().focus();
      await v.page.keyboard.press("ArrowRight");
      await v.see("#text .side:nth-child(2) .alternatives", /0\.\d+/);
      expect(await other.locator(".alternative").count()).toBeGreaterThan(1);
      await v.page.screenshot({ path: join(SCREENSHOTS, "text.png"), fullPage: true });
      await v.close();
    },
    120_000,
  );

  withModule(
    "the logits come from the model's next token",
    async () => {
      const v = await visit(site.browser, site.url);
      await v.type(GREEDY);
      await v.see("#stages .stage h3", /^greedy/);
      await v.page.getByLabel("Logits from").selectOption("model");
      using model = await loadHere();
      const { token } = await compile(GREEDY).evaluate(await model.logits("In the beginning"), { backend: "cpu" });
      const text = JSON.stringify(model.textOf(token!));
      await v.see("#stages .status", new RegExp(`picks token ${token} ${text};`));
      await v.see("#stages .stage h3", new RegExp(`^greedy${model.info.vocabSize} rows`));
      await v.close();
    },
    120_000,
  );

  withModule(
    "a generation is stopped, a file that is not a model is refused, and a host tail generates",
    async () => {
      const v = await visit(site.browser, site.url);
      await v.see("#stages .status", /^on wasm/);
      await v.page.getByLabel("Logits from").selectOption("model");
      await v.see("#stages .status", /picks token \d+ ".*"/);
      await v.page.getByLabel("Tokens", { exact: true }).fill("400");
      await v.page.getByRole("button", { name: "Write" }).click();
      await v.page.locator("#text .token").nth(3).waitFor({ timeout: 60_000 });
      const line = v.page.locator("#text .side:nth-child(1) polyline").first();
      const early = (await pointsOf(line)).length;
      await until(
        async () => (await pointsOf(line)).length,
        (count) => count > early,
      );
      await v.page.getByRole("button", { name: "Stop" }).click();
      await v.see("#text .side .hint", /stopped/);
      const points = await pointsOf(line);
      expect(points).toHaveLength(await v.page.locator("#text .side:nth-child(1) .token").count());
      expect(points.length).toBeLessThan(400);
      // the remaining of 400 positions are empty
      expect(points.at(-1)![0]).toBeCloseTo(4 + ((480 - 8) * (points.length - 1)) / 399, 0);
      await v.page.locator("#text summary", { hasText: "another model" }).click();
      await v.page.getByLabel("Another model, a GGUF file").setInputFiles({
        name: "notes.gguf",
        mimeType: "application/octet-stream",
        buffer: Buffer.from("no model at all"),
      });
      await v.see("#text .status.fault", /./);
      await v.page.getByLabel("Tokens", { exact: true }).fill("4");
      await until(
        () => v.page.getByRole("button", { name: "Write" }).isEnabled(),
        (isEnabled) => isEnabled,
      );
      // a chain that the page itself cannot evaluate runs in llama.cpp's worker
      await v.type('import { top_k } from "std"\nchain tailed = top_k(5) |> host greedy()');
      // the worker of these logits is gone; a new one computed them again
      await v.see("#stages .stage h3", /^top_k\(5\)2048 → 5 rows/);
      await v.see(
        "#stages .status",
        /is one of llama.cpp's own CPU samplers, which run only in the panel with the model's text/,
      );
      await v.page.getByRole("button", { name: "Write" }).click();
      await v.see("#text .side:nth-child(1) .hint", /4 tokens/);
      await v.see("#text .side:nth-child(2) .hint", /4 tokens/);
      await v.close();
    },
    120_000,
  );
});

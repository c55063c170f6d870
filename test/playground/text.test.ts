/** Text of the demo model in the built playground; in a build without the model's module, the message. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { compile } from "../../runtime/chain/chain.js";
import { loadModelFromBytes, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/file.js";
import { inBrowser, openSite, SCREENSHOTS, type Site } from "./site.js";
import { until, visit } from "./visit.js";
import { isBuilt, llamaTest } from "../wasm/llamaTest.js";

const GREEDY = 'import { greedy } from "std"\n\nchain best = greedy\n';
const PROMPT = "And the LORD said unto";
/** Mirostat's arguments. */
const [TAU, ETA] = [5, 0.1];

/** The heights of a line's points, from 0 for the lowest to 1 for the highest. */
async function heightsOf(line: Locator): Promise<number[]> {
  const points = ((await line.getAttribute("points")) ?? "").split(" ");
  return scaled(points.map((point) => -Number(point.split(",")[1])));
}

function scaled(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (value - least) / (most - least));
}

let site: Site;

/** As the page runs it, so that it rounds likewise. */
const loadHere = (): Promise<Model> => loadModelFromBytes(readFileSync(DEMO_MODEL), { backend: "wasm" });

inBrowser("text in the playground", () => {
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  if (!isBuilt)
    test("a build without the model's module says how to build it", async () => {
      const v = await visit(site.browser, site.url);
      await v.see("#text", /no model module.*npm run build:wasm -- --llama/s);
      await v.close();
    });

  llamaTest("two chains write side by side, as they do outside of the page", async () => {
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
    await v.see("#text .side:nth-child(1) .hint", /24 tokens, the requested number/);
    const [ours, other] = [v.page.locator("#text .side").nth(0), v.page.locator("#text .side").nth(1)];
    const texts = await Promise.all([ours, other].map((side) => side.locator(".token").allTextContents()));
    expect(texts[0]!.join("")).toBe(pieces.join(""));
    expect(texts[1]).toHaveLength(24);

    // both texts are marked where they part
    const parting = texts[0]!.findIndex((text, i) => text !== texts[1]![i]);
    expect(await other.locator(".shared").count()).toBe(parting);
    expect(await v.page.locator("#text .parting").allTextContents()).toEqual(texts.map((text) => text[parting]));
    await v.see("#text .parting-line", new RegExp(`^The same for ${parting} tokens, then they part`));

    // the drawn line is mirostat's limit, computed from the shown probabilities
    const [course, courseOfOther] = [v.page.locator(".course").nth(0), v.page.locator(".course").nth(1)];
    expect(await course.locator("figcaption code").allTextContents()).toEqual(["surprise"]);
    expect((await courseOfOther.locator("figcaption code").allTextContents()).slice(0, 2)).toEqual(["surprise", "mu"]);
    const spans = await other.locator(".token").all();
    const labels = await Promise.all(spans.map((span) => span.getAttribute("aria-label")));
    const surprises = labels.map((label) => -Math.log2(Number(label!.split(" ").at(-1))));
    let mu = 2 * TAU;
    const mus = surprises.map((surprise) => (mu -= ETA * (surprise - TAU)));
    expect(mus).toHaveLength(24);
    for (const [i, values] of [surprises, mus].entries()) {
      const line = courseOfOther.locator("polyline").nth(i);
      await until(
        () => heightsOf(line),
        (heights) => heights.length === 24,
      );
      expect(await heightsOf(line)).toEqual(scaled(values).map((height) => expect.closeTo(height, 1)));
      const last = await courseOfOther.locator("figcaption .ends").nth(i).innerText();
      expect(Number(last.split(" ").at(-1))).toBeCloseTo(values.at(-1)!, 1);
    }
    await v.page.screenshot({ path: join(SCREENSHOTS, "text.png"), fullPage: true });
    await v.close();
  });

  llamaTest("a text is written on load, and at each of its tokens the stages pick that token", async () => {
    const v = await visit(site.browser, site.url);
    await v.see("#text .side:nth-child(2) .hint", /48 tokens, the requested number/);
    // draws, states and history are those of the place: mirostat's limit depends on all tokens before
    await v.type(
      'import { penalties, mirostat_v2 } from "std"\n\nchain c = penalties(32, 1.3) |> mirostat_v2(3, 0.3)\n',
    );
    await v.see(".course figcaption code", /^mu$/);
    await v.see("#text .side:nth-child(1) .hint", /48 tokens/);
    for (const side of [0, 1]) {
      const tokens = v.page.locator("#text .side").nth(side).locator(".token");
      await tokens.first().focus();
      await v.page.keyboard.press("Enter");
      for (let at = 0; at < 9; at++) {
        const where = `^Token ${at + 1} of ${side === 0 ? "your program's text" : "the text to compare with"}`;
        await v.see("#stages .where", new RegExp(where));
        const text = await tokens.nth(at).evaluate((span) => (span as { textContent: string }).textContent);
        await v.see("#stages .status", new RegExp(`^Picks token \\d+ ${escaped(JSON.stringify(text))};`));
        expect(await tokens.nth(at).getAttribute("aria-pressed")).toBe("true");
        await v.page.keyboard.press("ArrowRight");
      }
    }
    await v.close();
  });

  llamaTest("a text that the chain ends says by which stop", async () => {
    const v = await visit(site.browser, site.url);
    await v.type('sampler five() {\n  pick argmax(logit)\n  stop when step >= 4 as "five"\n}\n\nchain c = five()\n');
    await v.see("#text .side:nth-child(1) .hint", /5 tokens, stop "five" ended the text/);
    await v.close();
  });

  llamaTest(
    "phrases of the field are in no text, which says how often it was taken back, and are part of the link",
    async () => {
      const v = await visit(site.browser, site.url);
      await v.type(GREEDY);
      const first = v.page.locator("#text .side").first();
      const textOf = async (): Promise<string> => (await first.locator(".token").allTextContents()).join("");
      await v.see("#text .side:nth-child(1) .hint", /48 tokens/);
      const [word = ""] = (await textOf()).split(/[^A-Za-z]+/).filter((one) => one.length > 2);
      await v.page.locator("#text summary", { hasText: "phrases that are not written" }).click();
      const field = v.page.getByLabel("Phrases that are not written, one a line");
      await field.fill(`zzz\n${word}`);
      await v.see("#text .side:nth-child(1) .hint", /tokens\/s, taken back \d+ times?$/);
      expect(await textOf()).not.toContain(word);
      await v.page.locator("#share").click();
      const link = await until(
        () => v.page.getByLabel("Link to this program").inputValue(),
        (value) => value !== "",
      );
      await v.close();
      const other = await visit(site.browser, link);
      await until(
        () => other.page.getByLabel("Phrases that are not written, one a line").inputValue(),
        (value) => value === `zzz\n${word}`,
      );
      await other.see("#text .side:nth-child(1) .hint", /taken back \d+ times?$/);
      await other.close();
    },
  );

  llamaTest("the logits come from the model's next token", async () => {
    const v = await visit(site.browser, site.url);
    await v.type(GREEDY);
    await v.see("#stages .stage h3", /^greedy/);
    using model = await loadHere();
    const { token } = await compile(GREEDY).evaluate(await model.logits("Now the king"), { backend: "cpu" });
    const text = JSON.stringify(model.textOf(token!));
    await v.see("#stages .status", new RegExp(`^Picks token ${token} ${text};`));
    await v.see("#stages .stage", new RegExp(`^greedy${model.info.vocabSize} tokens,`));
    await v.close();
  });

  llamaTest("a generation is stopped, a file that is not a model is refused, and a host tail generates", async () => {
    const v = await visit(site.browser, site.url);
    await v.see("#text .side:nth-child(2) .hint", /48 tokens/);
    await v.page.getByLabel("Tokens", { exact: true }).fill("400");
    await v.page.getByRole("button", { name: "Write" }).click();
    const line = v.page.locator(".course").first().locator("polyline").first();
    const drawn = async (): Promise<number> => (await heightsOf(line)).length;
    await until(drawn, (count) => count > 50);
    const early = await drawn();
    await until(drawn, (count) => count !== early);
    await v.page.getByRole("button", { name: "Stop" }).click();
    await v.see("#text .side .hint", /stopped/);
    const count = await v.page.locator("#text .side:nth-child(1) .token").count();
    expect(count).toBeLessThan(400);
    await until(drawn, (points) => points === count);
    await v.page.locator("#text summary", { hasText: "another model" }).click();
    await v.page.getByLabel("Another model, a GGUF file").setInputFiles({
      name: "notes.gguf",
      mimeType: "application/octet-stream",
      buffer: Buffer.from("no model at all"),
    });
    await v.see("#text .status.fault", /Texts are the demo model's again/);
    await v.page.getByLabel("Tokens", { exact: true }).fill("4");
    await until(
      () => v.page.getByRole("button", { name: "Write" }).isEnabled(),
      (isEnabled) => isEnabled,
    );
    // a chain that the page itself cannot evaluate runs in llama.cpp's worker
    await v.type('import { top_k } from "std"\nchain tailed = top_k(5) |> host greedy()');
    await v.see("#stages .status", /is one of llama.cpp's own CPU samplers, which run only where the model's text is/);
    await v.page.getByRole("button", { name: "Write" }).click();
    // the worker of these logits is gone; a new one computed them again
    await v.see("#stages .stage", /^top_k\(5\)2048 → 5 tokens/);
    await v.see("#text .side:nth-child(1) .hint", /4 tokens/);
    await v.see("#text .side:nth-child(2) .hint", /4 tokens/);
    await v.close();
  });
});

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Text of the demo model in the built playground; in a build without the model's module, that there is none. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../runtime/chain.js";
import { loadModel } from "../../runtime/model.js";
import { canBrowse, openSite, SCREENSHOTS, type Site } from "./site.js";
import { until, visit } from "./visit.js";

const inBrowser = canBrowse ? describe : describe.skip;
const hasModule = existsSync(join("build", "wasm-llama", "out", "ggsl-llama.wasm"));
const withModule = hasModule ? test : test.skip;

const GREEDY = 'import { greedy } from "std"\n\nchain best = greedy\n';
const PROMPT = "And the LORD said unto";

let site: Site;

inBrowser("text in the playground", () => {
  beforeAll(async () => {
    site = await openSite("text");
  }, 120_000);
  afterAll(() => site?.close());

  (hasModule ? test.skip : test)("a build without the model's module says how to make one", async () => {
    const v = await visit(site.browser, site.url);
    await v.see("#text", /no model module.*npm run build:wasm -- --llama/s);
    await v.close();
  });

  withModule(
    "two chains write side by side, as the native runtime does",
    async () => {
      using model = await loadModel("examples/model/demo-q8_0.gguf", { backend: "cpu" });
      const pieces: string[] = [];
      for await (const { text } of model.generate(PROMPT, { chain: compile(GREEDY), maxTokens: 24 })) pieces.push(text);

      const v = await visit(site.browser, site.url);
      await v.type(GREEDY);
      await v.see("#stages .stage h3", /^greedy/);
      await v.page.getByLabel("Prompt", { exact: true }).fill(PROMPT);
      await v.page.getByLabel("Tokens", { exact: true }).fill("24");
      await v.page.getByRole("button", { name: "Write" }).click();
      await v.see("#text .side:nth-child(2) .hint", /24 tokens, as many as asked for/);
      const [ours, other] = [v.page.locator("#text .side").nth(0), v.page.locator("#text .side").nth(1)];
      expect((await ours.locator(".token").allTextContents()).join("")).toBe(pieces.join(""));
      expect(await other.locator(".token").count()).toBe(24);

      // the keyboard goes from token to token, and tells what else could have stood there
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
    "the model's next token gives the logits",
    async () => {
      const v = await visit(site.browser, site.url);
      await v.type(GREEDY);
      await v.see("#stages .stage h3", /^greedy/);
      await v.page.getByLabel("Logits from").selectOption("model");
      await v.see("#stages .status", /picks token \d+ ".*"/);
      await v.see("#stages .stage h3", /100 rows/);
      await v.close();
    },
    120_000,
  );

  withModule(
    "a generation is stopped, and a file that is no model is refused",
    async () => {
      const v = await visit(site.browser, site.url);
      await v.see("#stages .status", /^on wasm/);
      await v.page.getByLabel("Tokens", { exact: true }).fill("400");
      await v.page.getByRole("button", { name: "Write" }).click();
      await v.page.locator("#text .token").nth(3).waitFor({ timeout: 60_000 });
      await v.page.getByRole("button", { name: "Stop" }).click();
      await v.see("#text .side .hint", /stopped/);
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
      await v.page.getByRole("button", { name: "Write" }).click();
      await v.see("#text .side:nth-child(2) .hint", /4 tokens/);
      await v.close();
    },
    120_000,
  );
});

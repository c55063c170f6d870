/** The playground at `/` of a real `ggsl serve`: its texts and logits are those of the server's model. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { compile } from "../../runtime/chain/chain.js";
import { loadModel } from "../../runtime/models/model.js";
import { buildPlayground } from "../../tools/lib/playground.js";
import { DEMO_MODEL } from "../model/file.js";
import { open, type Opened } from "../server/open.js";
import { inBrowser, openBrowser, SCREENSHOTS } from "./site.js";
import { visit } from "./visit.js";

const SAMPLER = `import { greedy } from "std"

sampler flatter(t: f32) {
  logit /= t
}

chain best(t: f32 in [0.1, 5] = 2) = flatter(t) |> greedy
`;
const PROMPT = "And the LORD said unto";
const PHONE = { viewport: { width: 390, height: 844 } };

let browser: Browser;
let server: Opened;

inBrowser("the playground of a server", () => {
  beforeAll(async () => {
    await buildPlayground();
    mkdirSync(SCREENSHOTS, { recursive: true });
    [browser, server] = await Promise.all([openBrowser(), open({ limits: { work: 6000 } })]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close(0);
  });

  test("logits and texts are the server's, and what it refuses is shown", async () => {
    using model = await loadModel(DEMO_MODEL, { backend: "cpu" });
    const v = await visit(browser, `${server.url}/`);
    const requests: { readonly url: string; readonly body: Record<string, unknown> }[] = [];
    v.page.on("request", (request) => {
      if (request.method() === "POST") requests.push({ url: request.url(), body: request.postDataJSON() as never });
    });
    await v.see("#server .status", /come from this server's model, demo, with a context of 256 tokens/);
    await v.see("#text-title", /^Text of demo$/);
    // the first text is written on load, later ones when the user wants one
    await v.see("#text .side:nth-child(2) .hint", /48 tokens, the requested number/);
    await v.page.getByLabel("Prompt", { exact: true }).fill(PROMPT);
    await v.page.getByLabel("Tokens", { exact: true }).fill("12");
    await v.type(SAMPLER);
    await v.see("#stages .stage", /^flatter/);
    await v.page.getByLabel("t, exact").fill("3");
    requests.length = 0;
    await v.page.getByRole("button", { name: "Write" }).click();
    await v.see("#text .side:nth-child(2) .hint", /12 tokens, the requested number/);

    const chain = compile(SAMPLER);
    const pieces: string[] = [];
    for await (const { text } of model.generate(PROMPT, { chain, maxTokens: 12 })) pieces.push(text);
    const ours = v.page.locator("#text .side").nth(0);
    expect((await ours.locator(".token").allTextContents()).join("")).toBe(pieces.join(""));
    const texts = requests.filter(({ url }) => url.endsWith("/v1/completions"));
    expect(texts.map(({ body }) => [body["sampler"], body["sampler_params"], body["seed"]])).toEqual([
      [SAMPLER, { t: 3 }, undefined],
      ["top_k(40) |> temp(0.8) |> dist", undefined, 42],
    ]);

    // the logits at a token are the server's
    await ours.locator(".token").nth(2).click();
    const { token } = await chain.evaluate(await model.logits(PROMPT + pieces.slice(0, 2).join("")), {
      backend: "cpu",
    });
    await v.see("#stages .where", /^Token 3 of your program's text, after [^]* The server sends no token ids/);
    const picked = JSON.stringify(model.textOf(token!));
    await v.see("#stages .status", new RegExp(`Picks token ${token} ${picked};`));
    await v.page.screenshot({ path: join(SCREENSHOTS, "server.png"), fullPage: true });

    // too costly for this server
    await v.page.getByLabel("Stages to compare with").fill("typical(0.9) |> top_p(0.8) |> dist");
    await v.page.getByRole("button", { name: "Write" }).click();
    await v.see(
      "#text .status.fault",
      /The server refuses \(400\): the sampler costs too much.*at most 6000 are allowed/,
    );
    await v.type("chain best = gredy()");
    await v.see("#diagnostics .error", /1:14.*did you mean `greedy`/s);
    await v.page.getByRole("button", { name: "Write" }).click();
    await v.see("#text .status", /The program has errors/);
    await v.page.setViewportSize(PHONE.viewport);
    await v.page.screenshot({ path: join(SCREENSHOTS, "server-phone.png"), fullPage: true });
    // of the refusal, which Chromium reports
    expect(v.faults.splice(0)).toEqual([expect.stringContaining("status of 400")]);
    await v.close();
  });

  test("Stop ends a text at the server, and a key is asked for", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ggsl-keys-"));
    writeFileSync(join(folder, "keys"), "sk-right-and-long alice\n");
    const guarded = await open({ apiKeys: join(folder, "keys"), contextSize: 1024 });
    try {
      const v = await visit(browser, `${guarded.url}/`, PHONE);
      await v.see("#server .status", /asks for an API key/);
      await v.see("#stages .status", /computed on wasm/);
      await v.see("#stages .where", /^Until the server has its key: /);
      await v.page.getByRole("button", { name: "Write" }).click();
      await v.see("#text .status.fault", /enter it at the top of the page/);
      await v.page.getByLabel("API key").fill("sk-wrong");
      await v.page.getByRole("button", { name: "Use" }).click();
      await v.see("#server .status.fault", /\(401\)/);
      await v.page.screenshot({ path: join(SCREENSHOTS, "server-key.png") });
      await v.page.getByLabel("API key").fill("sk-right-and-long");
      await v.page.keyboard.press("Enter");
      await v.see("#server .status", /come from this server's model/);
      // with the key the first text is written
      await v.see("#text .side:nth-child(2) .hint", /48 tokens, the requested number/);
      await v.see("#stages .where", /^Token 1 of your program's text/);
      await v.page.getByLabel("Tokens", { exact: true }).fill("400");
      await v.page.getByRole("button", { name: "Write" }).click();
      await v.page.locator("#text .side:nth-child(1) .token").nth(60).waitFor();
      await v.page.getByRole("button", { name: "Stop" }).click();
      await v.see("#text .side .hint", /stopped/);
      await expect(guarded.get("/ready")).resolves.toContain('"status":"ready"');
      const kept = await v.page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
      expect(kept).toBe("[{},{}]");
      expect(v.faults.splice(0)).toEqual([expect.stringContaining("status of 401")]);
      await v.close();
    } finally {
      await guarded.close(0);
      rmSync(folder, { recursive: true });
    }
  });
});

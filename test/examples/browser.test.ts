/** The page of examples/browser is one file, which works from a disk and loads nothing. */
import { expect, test } from "@jest/globals";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { node, tsc } from "../codegen/ggsl.js";
import { needing } from "../needs.js";
import { BROWSER, openBrowser, patient, SCREENSHOTS } from "../playground/site.js";
import { LLAMA_MODULE, llamaTest } from "../wasm/llamaTest.js";

const BUILT = "build/browser";

test("its sources have no type errors", () => {
  expect(tsc("-p", "examples/browser").stdout).toBe("");
});

llamaTest("it is built as one file", () => {
  const built = node(["node_modules/vite/bin/vite.js", "build", "-c", "examples/browser/vite.config.ts"]);
  expect(built).toMatchObject({ status: 0 });
  expect(readdirSync(BUILT)).toEqual(["index.html"]);
  expect(readFileSync(`${BUILT}/index.html`, "utf8")).not.toMatch(/<(?:script|link)[^>]*(?:src|href)=/);
});

needing(BROWSER, LLAMA_MODULE).test(
  "opened from a disk, it writes with the program in it and with another one, and reports errors",
  async () => {
    const browser = await openBrowser();
    try {
      const page = patient(await browser.newPage({ viewport: { width: 760, height: 900 }, colorScheme: "light" }));
      const requests: string[] = [];
      const faults: string[] = [];
      page.on("request", (request) => requests.push(request.url()));
      page.on("pageerror", ({ message }) => faults.push(message));
      await page.goto(pathToFileURL(`${BUILT}/index.html`).href);
      const status = page.locator("#status");
      const text = page.locator("#text");
      // 120 tokens unless the model ends the text
      await status.filter({ hasText: /tokens, .*ended by/ }).waitFor();
      expect(await text.innerText()).toMatch(/^In the beginning\b.{20}/s);
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, "browser-example.png") });

      await page.getByLabel("Program").fill("chain c = nothing()");
      await page.getByRole("button", { name: "Write" }).click();
      await status.filter({ hasText: /unknown sampler `nothing`/ }).waitFor();

      const texts = new Set<string>();
      await page.getByLabel("Program").fill('import { greedy } from "std"\nchain c = greedy()');
      for (let i = 0; i < 2; i++) {
        await page.getByRole("button", { name: "Write" }).click();
        await status.filter({ hasText: /120 tokens/ }).waitFor();
        texts.add(await text.innerText());
      }
      expect(texts.size).toBe(1);
      // the worker is a part of the page
      expect(requests.filter((address) => !/^(?:file|blob|data):/.test(address))).toEqual([]);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);

/** The example application: type-checked, built and run, in Node.js and, if available, in a browser. */
import { expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { browserTest, openFolder, patient } from "../playground/site.js";
import { node, tsc } from "./ggsl.js";

const PAGE = "build/typed-app/page";
/** The page's text with the slider at 0.8. */
const SHOWN = { token: "king, on wasm", best: "<tr><td>whale</td><td>0.5497</td></tr>" };

test("the program for Node.js compiles, evaluates and generates", () => {
  expect(tsc("-p", "examples/typed-app").stdout).toBe("");
  const { stdout, stderr } = node(["build/typed-app/node/main.js"]);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^the best three: 3 with 0\.5517, 2 with 0\.3103, 1 with 0\.1379\nIn the beginning\b.*\w/);
});

test("the page is built without the compiler, and its script shows the chain's result", () => {
  const built = node(["node_modules/vite/bin/vite.js", "build", "-c", "examples/typed-app/vite.config.ts"]);
  expect(built).toMatchObject({ status: 0 });
  const script = readdirSync(`${PAGE}/assets`).find((name) => name.endsWith(".js"))!;
  const text = readFileSync(`${PAGE}/assets/${script}`, "utf8");
  // ohm-js would be by far the largest part of the bundle. re2js, for patterns of sets, is the largest now, and what reads grammars
  // has 100 KB, a third of it when it is compressed, what looks for phrases 6 KB, stops, windows and texts that are written 4 KB, the help for names of options from elsewhere 4 KB
  expect(text.length).toBeLessThan(417_000);
  expect(text).not.toMatch(/E0101|ohm-js|ts-morph/);

  const { stdout, stderr } = node(["--input-type=module", "-e", run(resolve(`${PAGE}/assets/${script}`))]);
  expect(stderr.slice(-1000)).toBe("");
  const shown = JSON.parse(stdout) as Record<string, { textContent: string; innerHTML: string }>;
  expect(shown["#token"]?.textContent).toBe(SHOWN.token);
  expect(shown["#candidates"]?.innerHTML).toContain(SHOWN.best);
});

/** Runs the page's script with the three elements it needs, and what Vite asks of a browser that can load modules ahead. */
const run = (script: string): string => `
  const elements = {};
  const element = () => ({ value: "0.8", addEventListener() {} });
  const link = { relList: { supports: () => true } };
  globalThis.document = { querySelector: (selector) => (elements[selector] ??= element()), createElement: () => link };
  await import(${JSON.stringify(script)});
  console.log(JSON.stringify(elements));
`;

browserTest("a browser shows the page", async () => {
  const site = await openFolder(PAGE);
  const page = patient(await site.browser.newPage());
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  try {
    await page.goto(site.url);
    const shown = page.locator("#token").filter({ hasText: SHOWN.token });
    // compiling WebAssembly is slow on a busy machine
    await shown.waitFor();
    expect(await page.locator("#candidates").innerHTML()).toContain(SHOWN.best);
    await page.locator("#t").fill("0");
    await page.locator("#candidates").filter({ hasNotText: "0.5497" }).waitFor();
    expect(faults).toEqual([]);
  } finally {
    await site.close();
  }
});

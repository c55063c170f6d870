import { openSite } from "./test/playground/site.js";
const site = await openSite();
for (const [name, w, h, scheme, act] of [
  ["mirostat", 1280, 900, "dark", async (page: any) => { await page.getByRole("button", { name: "Examples" }).click(); await page.getByRole("button", { name: /Mirostat/ }).click(); await page.waitForTimeout(2500); await page.locator("#text .side:nth-child(1) .token").nth(11).click(); await page.waitForTimeout(1500); }],
  ["ranks", 1280, 900, "light", async (page: any) => { await page.getByLabel("all tokens by rank").check(); await page.locator("#stages .stage").nth(1).getByRole("button").click(); await page.waitForTimeout(500); }],
  ["guidance", 1280, 900, "light", async (page: any) => { await page.getByRole("button", { name: "Examples" }).click(); await page.waitForTimeout(2500); await page.getByRole("button", { name: /Guidance/ }).click(); await page.waitForTimeout(2500); await page.locator("#text .side:nth-child(1) .token").nth(3).click(); await page.waitForTimeout(1500); }],
  ["sets", 1280, 900, "light", async (page: any) => { await page.getByRole("button", { name: "Examples" }).click(); await page.getByRole("button", { name: /Sets of/ }).click(); await page.waitForTimeout(2500); await page.locator("#parameters .set input").fill('" of", " said"'); await page.waitForTimeout(2500); }],
  ["phone", 390, 844, "light", async () => {}],
  ["phonedark", 390, 844, "dark", async () => {}],
  ["help", 1280, 900, "light", async (page: any) => { await page.locator("#editor .cm-line span", { hasText: "min_p" }).last().hover(); await page.waitForTimeout(1500); }],
] as const) {
  if (process.argv[2] && !process.argv.slice(2).includes(name)) continue;
  const context = await site.browser.newContext({ viewport: { width: w, height: h }, colorScheme: scheme });
  const page = await context.newPage();
  page.on("pageerror", (e) => console.log("ERR", name, e.message));
  await page.goto(site.url);
  await page.locator("#text .side:nth-child(2) .hint").filter({ hasText: /tokens/ }).waitFor({ timeout: 60000 });
  await page.waitForTimeout(1000);
  await act(page);
  await page.screenshot({ path: `/tmp/s-${name}.png`, fullPage: name.startsWith("phone") || name === "mirostat" });
  await context.close();
}
await site.close();

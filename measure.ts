import { openSite } from "./test/playground/site.js";
const site = await openSite();
for (const [name, kbit] of [["local", 0], ["local", 0], ["local", 0], ["1.6 Mbit/s", 1600]] as const) {
  const context = await site.browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  if (kbit) await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: 50, downloadThroughput: (kbit * 1000) / 8, uploadThroughput: (kbit * 1000) / 8 });
  const start = Date.now();
  const times: Record<string, number> = {};
  const seen = (what: string, selector: string, timeout = 120000) => page.locator(selector).first().waitFor({ timeout }).then(() => (times[what] = Date.now() - start), () => (times[what] = -1));
  const going = page.goto(site.url).catch(() => undefined);
  await Promise.all([going, seen("editor", "#editor .cm-line"), seen("picture", "#stages .stage svg"), seen("progress", "#text progress:not([hidden])", 100000), seen("token", "#text .token")]);
  console.log(name, JSON.stringify(times), await page.evaluate("JSON.stringify(performance.getEntriesByType('resource').map(r=>[r.name.split('/').pop(), r.transferSize, Math.round(r.startTime), Math.round(r.responseEnd)]))"));
  await context.close();
}
await site.close();

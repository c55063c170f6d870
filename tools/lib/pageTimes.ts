/** How long the playground takes to show what it is for, in a browser that keeps nothing of it. */
import type { Browser } from "playwright-core";
import { ToolError } from "./process.js";

/** Loads of a page that are counted; one more comes first. */
const LOADS = 5;
/** Milliseconds until what a page shows must be there, on a machine that does much else. */
const PATIENCE = 120_000;

/** What is waited for: selectors, and what the text of what they find holds. */
const SHOWN = {
  "first probabilities": ["#stages .stage svg", ""],
  "first token": ["#text .token", ""],
  "whole text": ["#text .side:nth-child(1) .hint", "tokens"],
} as const;

/** In the page, before its scripts: reports when each is on the screen, in milliseconds since the page was asked for. */
const WATCH = `{
  const waiting = new Map(Object.entries(${JSON.stringify(SHOWN)}));
  new MutationObserver(() => {
    for (const [name, [selector, text]] of waiting)
      if (document.querySelector(selector)?.textContent.includes(text)) {
        waiting.delete(name);
        requestAnimationFrame(() => setTimeout(() => report(name, performance.now())));
      }
  }).observe(document, { childList: true, subtree: true, characterData: true });
}`;

/** Milliseconds until each is shown. */
type Found = Readonly<Record<string, number>>;

/** One line: the median of each, with the least and the most. */
export async function timesOf(browser: Browser, place: string, address: string): Promise<string> {
  await load(browser, address);
  const loads: Found[] = [];
  while (loads.length < LOADS) loads.push(await load(browser, address));
  const figures = Object.keys(SHOWN).map((name) => {
    const sorted = loads.map((found) => found[name]! / 1000).sort((a, b) => a - b);
    const [least, median, most] = [0, (LOADS - 1) / 2, LOADS - 1].map((i) => sorted[i]!.toFixed(2));
    return `${name} ${median} s (${least} to ${most})`;
  });
  return `${place}: ${figures.join(", ")}`;
}

async function load(browser: Browser, address: string): Promise<Found> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    const found: Record<string, number> = {};
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new ToolError(`pictures: ${address} shows only ${JSON.stringify(found)}`)),
        PATIENCE,
      );
      const report = (name: string, time: number): void => {
        found[name] = time;
        if (Object.keys(found).length < Object.keys(SHOWN).length) return;
        clearTimeout(timer);
        resolve();
      };
      page
        .exposeFunction("report", report)
        .then(() => page.addInitScript(WATCH))
        .then(() => page.goto(address))
        .catch(reject);
    });
    return found;
  } finally {
    await context.close();
  }
}

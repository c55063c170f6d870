/** One visit to the page: what a user sees and does. */
import { expect } from "@jest/globals";
import type { Browser, BrowserContextOptions, ConsoleMessage, Page, Request } from "playwright-core";
import { PATIENCE, patient } from "./site.js";

export interface Visit {
  readonly page: Page;
  /** Replaces the program. */
  type(text: string): Promise<void>;
  program(): Promise<string>;
  diagnostics(): Promise<string>;
  notices(): Promise<string>;
  /** While it runs, the page has only the patience that it has for people. */
  hurried<T>(action: () => Promise<T>): Promise<T>;
  /** Takes logits of 500 tokens like words of a language, which need no model. */
  zipf(): Promise<void>;
  /** Waits until a status line or a list matches. */
  see(selector: string, text: RegExp): Promise<void>;
  /** Errors so far; a test takes those that it expects. */
  readonly faults: string[];
  /** Checks that the page had no unreported errors and made no requests to other hosts. */
  close(): Promise<void>;
}

/** Chromium's own editing adds inline styles, which the page's policy blocks and the editor does not need. */
const EDITING = "Applying inline style violates";

/** Polls until the value is good, and returns it. */
export async function until<T>(read: () => Promise<T>, isGood: (value: T) => boolean): Promise<T> {
  for (const begin = performance.now(); ;) {
    const value = await read();
    if (isGood(value)) return value;
    if (performance.now() - begin > PATIENCE) throw new Error(`timed out; the last value is ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** The page's limits of time, which are timers of at least so many milliseconds, are for a machine that does nothing else. */
const LONG_TIMER = 4000;
/** Its limits are so many times as long here. */
const SLOWER = 20;

interface Slowed {
  slower: number;
}

/** In the page, before its scripts: long timers are longer. */
function slowTimers([long, slower]: readonly [number, number]): void {
  const own = globalThis.setTimeout;
  const slowed = Object.assign(globalThis, { slower });
  const slow = (run: () => void, milliseconds = 0): unknown =>
    own(run, milliseconds < long ? milliseconds : slowed.slower * milliseconds);
  Object.assign(globalThis, { setTimeout: slow });
}

/** Empty pages of past visits, without options of their own. A new page, with a process of its own, takes a second. */
const idle = new WeakMap<Browser, Page[]>();

async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = patient(await context.newPage());
  await page.addInitScript(slowTimers, [LONG_TIMER, SLOWER] as const);
  return page;
}

/** Opens an address, in a new document with new workers. */
export async function visit(browser: Browser, url: string, options?: BrowserContextOptions): Promise<Visit> {
  const pages = options ? [] : (idle.get(browser) ?? []);
  if (!options) idle.set(browser, pages);
  const page = pages.pop() ?? (await newPage(browser, options ?? {}));
  const context = page.context();
  const requests: string[] = [];
  const faults: string[] = [];
  const onRequest = (request: Request): unknown => requests.push(request.url());
  const onError = (error: Error): unknown => faults.push(error.message);
  const onMessage = (message: ConsoleMessage): void => {
    if (message.type() === "error" && !message.text().startsWith(EDITING)) faults.push(message.text());
  };
  context.on("request", onRequest);
  page.on("pageerror", onError);
  page.on("console", onMessage);
  await page.goto(url);
  const textOf = async (selector: string): Promise<string> => (await page.locator(selector).allInnerTexts()).join("\n");
  return {
    page,
    faults,
    async type(text) {
      await page.locator("#editor .cm-content").focus();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
    },
    program: async () => (await page.locator("#editor .cm-line").allTextContents()).join("\n"),
    diagnostics: () => textOf("#diagnostics"),
    notices: () => textOf("#notices .notice span"),
    async hurried(action) {
      const set = (slower: number): Promise<void> =>
        page.evaluate((value) => void ((globalThis as unknown as Slowed).slower = value), slower);
      await set(1);
      const result = await action();
      await set(SLOWER);
      return result;
    },
    async zipf() {
      await page.getByLabel("Logits from").selectOption("zipf");
    },
    see: async (selector, text) => {
      const wanted = page.locator(selector).filter({ hasText: text }).first();
      await wanted.waitFor().catch(async () => {
        const found = await Promise.all([selector, "#diagnostics", "#busy", "main .status"].map(textOf));
        throw new Error(`timed out: expected ${text} in ${selector}, found ${JSON.stringify(found)}`);
      });
    },
    async close() {
      expect(faults).toEqual([]);
      expect(requests.filter((address) => new URL(address).host !== new URL(url).host)).toEqual([]);
      expect(requests.length).toBeGreaterThan(3);
      if (options) return context.close();
      context.off("request", onRequest);
      page.off("pageerror", onError);
      page.off("console", onMessage);
      await page.goto("about:blank");
      pages.push(page);
      return undefined;
    },
  };
}

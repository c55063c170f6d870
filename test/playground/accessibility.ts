/** What axe finds on a page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** A line for each place that breaks a rule of WCAG 2.2 AA, or a best practice. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const { violations } = await page.evaluate<{ readonly violations: readonly Violation[] }>("axe.run()");
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}

/** Builds Markdown pages from templates and tables. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.js";

/** Escapes `|`, which would end the cell of a table. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

/** Fills a template of tools/docs/ with a value for each `{{name}}`. Missing and unused values are errors. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  const used = new Set<string>();
  const text = readFileSync(join(root, "tools", "docs", template), "utf8");
  const filled = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${template}: there is no value for ${name}`);
    used.add(name);
    return value;
  });
  const unused = Object.keys(values).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`${template}: does not use ${unused.join(", ")}`);
  return filled;
}

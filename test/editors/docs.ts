/** The settings that docs/editor.md tells users to copy. */
import { readFileSync } from "node:fs";

/** The code block of a language below a heading. */
export function settingsOf(heading: string, language: string): string {
  const page = readFileSync("docs/editor.md", "utf8");
  const start = page.indexOf(`\n### ${heading}\n`);
  const section = start < 0 ? "" : page.slice(start + 1).split(/\n#{2,3} /, 1)[0]!;
  const [, code] = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(section) ?? [];
  if (code === undefined) throw new Error(`docs/editor.md has no block of ${language} below ### ${heading}`);
  return code;
}

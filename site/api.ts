/** The reference of the API: a page for each entry point of a package, by typedoc from the comments of the sources. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attemptNode, ToolError } from "../tools/lib/process.js";
import { isMarkdown } from "./sources.js";

const TYPEDOC = join("node_modules", "typedoc", "bin", "typedoc");

export async function writeApi(folder: string): Promise<void> {
  const { status, output } = await attemptNode([TYPEDOC, "--out", folder, "--logLevel", "Warn"]);
  if (status !== 0) throw new ToolError(`site: the reference of the API\n${output}`);
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isMarkdown)) {
    const file = join(folder, path);
    writeFileSync(file, withAnchors(readFileSync(file, "utf8")));
  }
}

/** typedoc's own anchor, and the heading that it belongs to. */
const ANCHORED = /^<a id="([^"]+)"><\/a>\n\n(#+) (.*)$/gm;

/**
 * typedoc's links lead to its own anchors, which several headings may have: the symbol and members with its name. The highest heading, the
 * symbol's, gets the anchor, with a prefix that the anchors of other headings lack.
 */
function withAnchors(text: string): string {
  const highest = new Map<string, number>();
  for (const { 1: id, 2: marks, index } of text.matchAll(ANCHORED)) {
    const known = highest.get(id!);
    const isHigher = known === undefined || marks!.length < /#+ /.exec(text.slice(known))![0].length - 1;
    if (isHigher) highest.set(id!, index);
  }
  return text
    .replace(ANCHORED, (_, id: string, marks: string, heading: string, index: number) => {
      return `${marks} ${heading}${highest.get(id) === index ? ` {#api-${id}}` : ""}`;
    })
    .replace(/(\]\([^)\s]*#)/g, "$1api-");
}

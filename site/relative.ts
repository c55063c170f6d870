/**
 * Lets a built site work in any folder of a server. VitePress needs the path of that folder when it builds; here it builds for `BASE`, and
 * afterwards links in pages become relative, and scripts find the folder by their own address.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "estree";
import { parseAst } from "rollup/parseAst";

/** Stands for the site's folder while it is built. */
export const BASE = "/__base__/";

/** Rewrites the pages and scripts in a folder. */
export function makeRelative(folder: string): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const toRoot = "../".repeat(path.split("/").length - 1) || "./";
    const change = path.endsWith(".html")
      ? (text: string) => relativePage(text, toRoot)
      : path.endsWith(".js")
        ? (text: string) => relativeScript(text, `new URL("${toRoot}",import.meta.url).pathname`)
        : undefined;
    if (!change) continue;
    const file = join(folder, path);
    const text = readFileSync(file, "utf8");
    if (text.includes(BASE)) writeFileSync(file, change(text));
  }
}

/** Links become relative; a script of the page asks for the page's address. */
const relativePage = (text: string, toRoot: string): string =>
  text
    .replace(/(<script>)([^]*?)(<\/script>)/g, (_, open: string, script: string, close: string) => {
      return `${open}${relativeScript(script, `new URL("${toRoot}",location.href).pathname`)}${close}`;
    })
    .replaceAll(new RegExp(`(?<=(?:href|src)=")${BASE}`, "g"), toRoot);

/** Each text of a script that contains the path gets the real one when the script runs; `base` is the expression for it. */
function relativeScript(text: string, base: string): string {
  if (!text.includes(BASE)) return text;
  const ends: number[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, start, end } = node as Node & { start: number; end: number };
    const isText = type === "Literal" || type === "TemplateLiteral";
    if (isText && text.slice(start, end).includes(BASE)) ends.push(end);
    else Object.values(node).forEach(visit);
  };
  visit(parseAst(text));
  const pieces = [0, ...ends].map((start, i) => text.slice(start, ends[i]));
  return pieces.join(`.replaceAll("${BASE}",${base})`);
}

/** The links of a folder of HTML pages. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The links and pictures that have no target in the folder, and those to other hosts that a page would load by itself. */
export function brokenLinks(folder: string, isSkipped: (page: string) => boolean): string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".html"));
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));
  const anchors = new Map([...texts].map(([page, text]) => [page, new Set(valuesOf(text, "id"))]));
  return [...texts]
    .filter(([page]) => !isSkipped(page))
    .flatMap(([page, text]) =>
      [...valuesOf(text, "href"), ...valuesOf(text, "src")].flatMap((link) => {
        if (/^(https?|mailto|data):/.test(link)) return [];
        const [path = "", anchor = ""] = link.split("#");
        const file = path === "" ? page : relative(folder, join(folder, dirname(page), path));
        const target = path.endsWith("/") ? join(file, "index.html") : file;
        // the fragment of the playground is a program
        const isThere =
          existsSync(join(folder, target)) &&
          (anchor === "" || target === "try/index.html" || anchors.get(target)?.has(anchor));
        return isThere ? [] : [`${page}: ${link.slice(0, 100)}`];
      }),
    );
}

const valuesOf = (text: string, attribute: string): string[] =>
  [...text.matchAll(new RegExp(`<[^>]*?\\s${attribute}="([^"]*)"`, "g"))].map(([, value]) =>
    decodeURIComponent(value!.replaceAll("&amp;", "&")),
  );

/** The side bar: the sections of docs/README.md and the pages that they list. */
import type { DefaultTheme } from "vitepress";

/** A link at the beginning of an item of a list or of a row of a table. */
const ENTRY = /^(?:\d+\. |- |\| )\[([^\]]+)\]\(([^)#]+)\.md\)/gm;

/**
 * @param text the page of contents, with links to pages of the site
 */
export function sidebarOf(text: string): DefaultTheme.SidebarItem[] {
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const items = [...section.matchAll(ENTRY)].map(([, title, page]) => ({
        text: title!,
        link: `/${page!.replace("./", "")}`,
      }));
      const [heading = ""] = section.split("\n");
      return items.length > 0 ? [{ text: heading.trim(), items }] : [];
    });
}

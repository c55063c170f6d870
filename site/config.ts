/** VitePress's settings. It reads the pages that `pages.ts` has written. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { UserConfig, DefaultTheme } from "vitepress";
import { headingId } from "../tools/lib/headingId.js";
import { sidebarOf } from "./contents.js";
import { BASE } from "./relative.js";

/**
 * @param root the checkout
 * @param pages the folder with the pages
 */
export function configOf(root: string, pages: string): UserConfig<DefaultTheme.Config> {
  const grammar = JSON.parse(
    readFileSync(join(root, "editors/vscode/syntaxes/ggsl.tmLanguage.json"), "utf8"),
  ) as object;
  const contents = readFileSync(join(pages, "contents.md"), "utf8");
  return {
    lang: "en",
    title: "GGSL",
    base: BASE,
    description: "A small typed language for token samplers, compiled to ggml graphs that run inside a llama.cpp model",
    head: [["link", { rel: "icon", href: `${BASE}icon.svg`, type: "image/svg+xml" }]],
    markdown: {
      // colours that can be read by everyone
      theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
      config: (md) => {
        // indented code looks like fenced code
        md.renderer.rules.code_block = (tokens, i, ...rest) => {
          tokens[i]!.info = "text";
          return md.renderer.rules.fence!(tokens, i, ...rest);
        };
      },
      // anchors as in the checkout's own pages
      anchor: { slugify: headingId },
      languages: [{ ...(grammar as { scopeName: string }), name: "ggsl" } as never],
    },
    // the text of all pages, for the search, is one file
    vite: { build: { chunkSizeWarningLimit: 4000 }, logLevel: "warn" },
    // the theme gives the first page no main part
    transformHtml: (html) =>
      html.replace('<div class="VPContent is-home"', '<div role="main" class="VPContent is-home"'),
    themeConfig: {
      search: {
        provider: "local",
        // what is explained comes before what is listed; the function runs in the page
        options: {
          miniSearch: { searchOptions: { boostDocument: (id) => (/\/(api|files)\//.test(String(id)) ? 0.3 : 1) } },
        },
      },
      nav: [
        { text: "Contents", link: "/contents" },
        { text: "Library", link: "/std" },
        { text: "API", link: "/api/README" },
        { text: "Playground", link: "/try/index.html", target: "_self" },
        { text: "Changelog", link: "/changelog" },
      ],
      sidebar: sidebarOf(contents),
      outline: [2, 3],
      footer: { message: "MIT licence; the demo model is under CC0 1.0" },
    },
  };
}

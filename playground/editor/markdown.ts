/** The Markdown that the language service writes, as elements: fenced code, lists, paragraphs and `code` in them. */
import { h } from "../dom.js";

export function markdown(text: string): HTMLElement {
  const blocks = text.split(/(```[^\n]*\n[^]*?\n```)/);
  return h("div", { className: "doc" }, ...blocks.flatMap(blockOf));
}

function blockOf(block: string): HTMLElement[] {
  const code = /^```[^\n]*\n([^]*?)\n```$/.exec(block)?.[1];
  if (code !== undefined) return [h("pre", {}, h("code", { textContent: code }))];
  return block
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) =>
      paragraph.startsWith("- ")
        ? h(
            "ul",
            {},
            ...paragraph
              .split(/\n?^- /m)
              .slice(1)
              .map((one) => h("li", {}, ...inline(one))),
          )
        : h("p", {}, ...inline(paragraph)),
    );
}

const inline = (text: string): (Node | string)[] =>
  text
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith("`") && part.length > 2 ? h("code", { textContent: part.slice(1, -1) }) : part));

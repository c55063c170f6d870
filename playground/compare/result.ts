/** The comparison on the page: table, figure, texts, and files of them. */
import type { Comparison } from "ggsl/compare/comparison.js";
import { writeCsv } from "ggsl/compare/csv.js";
import { describe, drawFigure } from "ggsl/compare/plot/figure.js";
import { compareRows } from "ggsl/compare/table.js";
import { debounced, h } from "../dom.js";

/** Texts of each chain that the page shows. */
const SHOWN = 4;
/** The widest figure, in pixels. */
const WIDEST = 980;

interface Result {
  readonly element: HTMLElement;
  show(comparison: Comparison): void;
  clear(): void;
}

export function openResult(): Result {
  const element = h("div", { className: "compare-result", hidden: true });
  let shown: Comparison | undefined;
  let files: readonly File[] = [];
  const clear = (): void => {
    files.forEach(({ url }) => URL.revokeObjectURL(url));
    [shown, files] = [undefined, []];
    element.replaceChildren();
    element.hidden = true;
  };
  const show = (comparison: Comparison): void => {
    clear();
    shown = comparison;
    element.hidden = false;
    files = filesOf(comparison);
    const width = Math.min(WIDEST, element.clientWidth);
    element.replaceChildren(
      tableOf(comparison),
      h(
        "p",
        { className: "bar" },
        ...files.map(({ name, url, label }) => h("a", { href: url, download: name, textContent: label })),
      ),
      h("h2", { textContent: "Curves" }),
      h("p", {
        className: "hint",
        textContent:
          "Means over the texts that have a token at the position, with a band of one standard error on both sides.",
      }),
      h("img", { src: addressOf(drawFigure(comparison, { width })), alt: describe(comparison) }),
      h("h2", { textContent: "The first texts" }),
      textsOf(comparison),
    );
  };
  let width = 0;
  const redraw = debounced(() => shown && show(shown), 200);
  new ResizeObserver(() => {
    if (width !== element.clientWidth) redraw();
    width = element.clientWidth;
  }).observe(element);
  return { element, show, clear };
}

interface File {
  readonly name: string;
  readonly label: string;
  readonly url: string;
}

function filesOf(comparison: Comparison): File[] {
  const file = (name: string, label: string, type: string, text: string): File => ({
    name,
    label,
    url: URL.createObjectURL(new Blob([text], { type })),
  });
  return [
    file("comparison.csv", "Measures and curves as CSV", "text/csv", writeCsv(comparison)),
    file("comparison.svg", "Figure as SVG", "image/svg+xml", drawFigure(comparison)),
  ];
}

/** The page's policy allows images as data, and no style sheets in the page itself. */
const addressOf = (drawing: string): string => `data:image/svg+xml,${encodeURIComponent(drawing)}`;

function tableOf(comparison: Comparison): HTMLElement {
  const { chains } = comparison;
  const count = chains[0]?.texts.length ?? 0;
  const head = h(
    "tr",
    {},
    h("th", { scope: "col", textContent: "measure" }),
    ...chains.map(({ name }) => h("th", { scope: "col" }, h("code", { textContent: name }))),
  );
  const rows = compareRows(comparison).map(({ title, doc, values }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, title, h("small", { textContent: doc })),
      ...values.map((textContent, i) => h("td", { textContent, "data-chain": chains[i]!.name })),
    ),
  );
  const table = h(
    "table",
    {},
    h("caption", { textContent: `${count} texts of each chain` }),
    h("thead", {}, head),
    h("tbody", {}, ...rows),
  );
  // it scrolls on narrow screens, also by keyboard
  return h("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Measures" }, table);
}

const textsOf = ({ chains }: Comparison): HTMLElement =>
  h(
    "div",
    { className: "texts" },
    ...chains.map(({ name, texts }) =>
      h(
        "div",
        {},
        h("h3", {}, h("code", { textContent: name })),
        ...texts.slice(0, SHOWN).map(({ text }) => h("blockquote", { textContent: text })),
      ),
    ),
  );

/** Tokens before and after a stage as a table: for screen readers, and for exact numbers. */
import type { TokenChange } from "../charts/bars.js";
import { h } from "../dom.js";

export function numbersOf(changes: readonly TokenChange[]): HTMLElement {
  const table = h("table", {});
  const scroll = h("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Numbers" }, table);
  const details = h("details", {}, h("summary", { textContent: "numbers" }), scroll);
  // the table is built only when it is opened
  details.addEventListener("toggle", () => details.open && table.replaceChildren(...rowsOf(changes)));
  return details;
}

function rowsOf(changes: readonly TokenChange[]): HTMLElement[] {
  const head = ["token", "before", "after"].map((textContent) => h("th", { textContent, scope: "col" }));
  const cell = (x: number, isKept: boolean): string => (isKept ? x.toFixed(5) : "dropped");
  return [
    h("tr", {}, ...head),
    ...changes.map(({ name, before, after, wasKept, isKept }) =>
      h(
        "tr",
        {},
        h("th", { textContent: name, scope: "row" }),
        h("td", { textContent: cell(before, wasKept) }),
        h("td", { textContent: cell(after, isKept) }),
      ),
    ),
  ];
}

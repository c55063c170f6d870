/** The diagnostics as a list below the program, with places and help texts. */
import { h } from "../dom.js";
import type { CheckReply, PageDiagnostic } from "../engine/messages.js";

export function showDiagnostics(list: HTMLElement, reply: CheckReply, goTo: (offset: number) => void): void {
  const entries = reply.diagnostics.map((d) => entryOf(d, goTo));
  const absent = reply.absent === undefined ? [] : [h("li", { className: "error", textContent: reply.absent })];
  list.replaceChildren(...entries, ...absent);
}

const entryOf = (d: PageDiagnostic, goTo: (offset: number) => void): HTMLElement =>
  h(
    "li",
    { className: d.severity },
    h("button", {
      type: "button",
      className: "place",
      textContent: `${d.line}:${d.column}`,
      title: "Go to this place",
      onclick: () => goTo(d.from),
    }),
    h("span", { className: "message", textContent: `${d.severity} ${d.code}: ${d.message}` }),
    ...(d.help === undefined ? [] : [h("span", { className: "help", textContent: `help: ${d.help}` })]),
  );

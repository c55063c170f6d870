/** The diagnostics as a list below the program, with places, help texts, and a button for what mends them. */
import { h } from "../dom.js";
import type { CheckReply, PageDiagnostic, PageFix } from "../engine/messages.js";

/** What the list does in the editor. */
interface Target {
  readonly goTo: (offset: number) => void;
  readonly fix: (fix: PageFix) => void;
}

export function showDiagnostics(list: HTMLElement, reply: CheckReply, editor: Target): void {
  const entries = reply.diagnostics.map((d) => entryOf(d, editor));
  const absent = reply.absent === undefined ? [] : [h("li", { className: "error", textContent: reply.absent })];
  list.replaceChildren(...entries, ...absent);
}

const entryOf = (
  { severity, line, column, code, message, help, fix, from }: PageDiagnostic,
  editor: Target,
): HTMLElement =>
  h(
    "li",
    { className: severity },
    h("button", {
      type: "button",
      className: "place",
      textContent: `${line}:${column}`,
      title: "Go to this place",
      onclick: () => editor.goTo(from),
    }),
    h("span", { className: "message", textContent: `${severity} ${code}: ${message}` }),
    ...(help === undefined ? [] : [h("span", { className: "help", textContent: `help: ${help}` })]),
    ...(fix === undefined ? [] : [buttonOf(fix, editor)]),
  );

const buttonOf = (fix: PageFix, editor: Target): HTMLElement =>
  h("button", {
    type: "button",
    className: "fix",
    textContent: fix.title.replaceAll("`", ""),
    onclick: () => editor.fix(fix),
  });

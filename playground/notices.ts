/** Messages above the page that stay until they are dismissed. Each is shown once. */
import { byId, h } from "./dom.js";

const shown = new Set<string>();

export function notify(message: string): void {
  if (shown.has(message)) return;
  shown.add(message);
  const close = h("button", { type: "button", textContent: "Dismiss" });
  const notice = h("p", { className: "notice" }, h("span", { textContent: message }), close);
  close.onclick = () => {
    shown.delete(message);
    notice.remove();
  };
  byId("notices").append(notice);
}

/** Text of the demo model. */
import { h } from "../dom.js";

export function openText(host: HTMLElement): void {
  host.replaceChildren(
    h("p", {
      className: "hint",
      textContent: "This build of the page has no model: llama.cpp in WebAssembly is not part of it, so there is no text to show. Chains run on the logits chosen above.",
    }),
  );
}

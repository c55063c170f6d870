/** A link that contains the program, its parameters, the seed and the logits. */
import { h } from "../dom.js";
import { notify } from "../notices.js";
import { readLink, writeLink, type Shared } from "../state/link.js";

interface Share {
  /** Opens the contents of a fragment. False if it is empty or, with a message, unreadable. */
  open(fragment: string): boolean;
  /** A link to another page leads to what is here, as it is when the link is followed. */
  carry(link: HTMLAnchorElement): void;
}

export function openShare(
  button: HTMLElement,
  host: HTMLElement,
  read: () => Shared,
  onOpen: (shared: Shared) => void,
): Share {
  /** The fragment that the page itself wrote. */
  let own = "";
  button.onclick = () => {
    try {
      own = writeLink(read());
    } catch (error) {
      return notify((error as Error).message);
    }
    history.replaceState(null, "", own);
    const field = h("input", { type: "text", readOnly: true, value: location.href });
    field.setAttribute("aria-label", "Link to this program");
    host.replaceChildren(field);
    host.hidden = false;
    field.select();
    field.focus();
  };
  const carry = (link: HTMLAnchorElement, event: Event): void => {
    try {
      link.hash = writeLink(read());
    } catch (error) {
      link.hash = "";
      if (event.type !== "click") return;
      event.preventDefault();
      notify((error as Error).message);
    }
  };
  return {
    carry(link) {
      // before a click, too: another button of the pointer opens the link in a tab of its own
      for (const kind of ["pointerdown", "focus", "click"]) link.addEventListener(kind, (event) => carry(link, event));
    },
    open(fragment) {
      if (fragment === "" || fragment === "#" || fragment === own) return false;
      try {
        onOpen(readLink(fragment));
        return true;
      } catch (error) {
        notify((error as Error).message);
        return false;
      }
    },
  };
}

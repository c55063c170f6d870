/** A link that contains the program, its parameters, the seed and the logits. */
import { h } from "../dom.js";
import { notify } from "../notices.js";
import { readLink, writeLink, type Shared } from "../state/link.js";

interface Share {
  /** Opens the contents of a fragment. False if it is empty or, with a message, unreadable. */
  open(fragment: string): boolean;
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
  return {
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

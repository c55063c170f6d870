/** What the page tells of the server that it is from, and the field for its key. */
import { h } from "../dom.js";
import type { Connection } from "../server/connection.js";
import { modelOf } from "../server/models.js";
import { server } from "../server/present.js";

/** @param onKey called when the server has taken a key @param title of what the model writes, if the page has one */
export function openServerPanel(host: HTMLElement, onKey: () => void, title?: HTMLElement): void {
  if (!server) return;
  const own = server;
  const status = h("p", { className: "status", role: "status" });
  const say = (message: string, isFault = false): void => {
    status.textContent = message;
    status.classList.toggle("fault", isFault);
  };
  const connect = async (): Promise<boolean> => {
    try {
      const { id, context_length: length } = await modelOf(own);
      if (title) title.textContent = `Text of ${id}`;
      say(
        own.isOwn ? "" : `Texts and logits come from this server's model, ${id}, with a context of ${length} tokens.`,
      );
      return true;
    } catch (error) {
      say((error as Error).message, true);
      return false;
    }
  };
  if (title) title.textContent = "Text of the server's model";
  host.hidden = false;
  host.replaceChildren(...(own.needsKey ? [keyRow(own, async () => void ((await connect()) && onKey()))] : []), status);
  if (own.needsKey) say("The server asks for an API key. The page keeps it until it is closed.");
  else void connect();
}

function keyRow(connection: Connection, connect: () => Promise<void>): HTMLElement {
  const field = h("input", { type: "password", autocomplete: "off", spellcheck: false });
  const use = h("button", { type: "button", textContent: "Use" });
  const take = (): void => {
    connection.setKey(field.value.trim());
    void connect();
  };
  use.onclick = take;
  field.onkeydown = ({ key }) => {
    if (key === "Enter") take();
  };
  return h("div", { className: "key-row" }, h("label", {}, "API key ", field), use);
}

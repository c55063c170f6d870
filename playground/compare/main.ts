/** The page that compares chains: inputs above, the comparison below. */
import { DEFAULTS } from "ggsl/compare/options.js";
import { byId, h } from "../dom.js";
import { llamaModule } from "../model/files.js";
import { openServerPanel } from "../panels/server.js";
import { server } from "../server/present.js";
import { openClient } from "./client.js";
import { openForm } from "./form.js";
import type { Answer } from "./messages.js";
import { openResult } from "./result.js";
import { takenOver } from "./taken.js";

/** Why there is nothing to compare with; undefined if there is. */
const absent =
  server === undefined && llamaModule === undefined
    ? "This build of the page has no model module. To build one: npm run build:wasm -- --llama, then npm run build:playground."
    : undefined;

/** A server's time is not the reader's own. */
const TEXTS_AT_SERVER = 16;

const status = h("p", { className: "status", role: "status" });
const notes = h("ul", { className: "hint" });
const bar = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Texts written" });
const result = openResult();
const form = openForm(
  {
    start() {
      try {
        const task = form.task();
        client.start({ ...task, ...(server && { server: server.access }) });
      } catch (error) {
        return say((error as Error).message, true);
      }
      say("Compiling …");
      notes.replaceChildren();
      result.clear();
      setRunning(true);
    },
    stop: () => client.cancel(),
  },
  server ? TEXTS_AT_SERVER : DEFAULTS.texts,
);
const client = openClient(receive);

function say(message: string, isFault = false): void {
  status.textContent = message;
  status.classList.toggle("fault", isFault);
}

function setRunning(isRunning: boolean): void {
  form.setRunning(isRunning);
  bar.hidden = !isRunning;
  bar.value = 0;
}

function receive(answer: Answer): void {
  switch (answer.kind) {
    case "compiled":
      notes.replaceChildren(...answer.notes.map((textContent) => h("li", { textContent })));
      return say(server ? "Writing texts …" : "Loading the demo model …");
    case "loaded":
      return say("Writing texts …");
    case "progress":
      bar.value = answer.fraction;
      if (answer.comparison) result.show(answer.comparison);
      return;
    case "done":
      setRunning(false);
      result.show(answer.comparison);
      return say(`Done: ${answer.comparison.chains[0]!.texts.length} texts of each chain.`);
    case "stopped":
      setRunning(false);
      if (answer.comparison) result.show(answer.comparison);
      return say(`Stopped after ${answer.comparison?.chains[0]?.texts.length ?? 0} texts of each chain.`);
    case "failed":
      setRunning(false);
      say(answer.isInput ? answer.message : `The page failed: ${answer.message}. Please report this.`, true);
  }
}

byId("compare").replaceChildren(
  ...(absent === undefined
    ? [form.element, bar, status, notes]
    : [h("p", { className: "notice", textContent: absent })]),
);
byId("result").replaceChildren(result.element);
openServerPanel(byId("server"), () => undefined);
try {
  const taken = takenOver(location.hash);
  if (taken) form.set(taken.fields, taken.prompt);
  byId<HTMLAnchorElement>("playground").hash = location.hash;
} catch (error) {
  say((error as Error).message, true);
}

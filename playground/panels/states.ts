/** The chain's states and measures over several steps on the same logits, such as mirostat's limit and adaptive_p's average. */
import { hasMoved, openTimePlot, SURPRISE } from "../charts/time.js";
import { h, short } from "../dom.js";
import type { WalkReply } from "../engine/messages.js";

interface StatesPanel {
  steps(): number;
  show(reply: WalkReply): void;
  readonly fail: (message: string) => void;
}

const STEPS = [20, 100, 500];

export function openStates(host: HTMLElement, onChange: () => void): StatesPanel {
  const steps = h(
    "select",
    { onchange: onChange },
    ...STEPS.map((n) => h("option", { value: String(n), textContent: String(n) })),
  );
  steps.value = "100";
  const status = h("p", { className: "status", role: "status" });
  const plots = h("div", { className: "plots" });
  host.replaceChildren(h("div", { className: "bar" }, h("label", {}, "steps ", steps)), status, plots);
  const say = (message: string, isFault: boolean): void => {
    status.textContent = message;
    status.classList.toggle("fault", isFault);
    if (!isFault) plots.replaceChildren();
  };
  return {
    steps: () => Number(steps.value),
    show({ backend, tokens, surprises, states, measures, stop }) {
      const mean = surprises.reduce((a, b) => a + b, 0) / Math.max(1, surprises.length);
      const ends = stop ? `; a text ends at token ${stop.at}: stop "${stop.name}"` : "";
      say(
        `on ${backend}; each picked token accepted; mean surprise ${short(mean)} bits; first tokens ${tokens.slice(0, 12).join(" ")}${ends}`,
        false,
      );
      const shown = [...states.filter(({ values }) => hasMoved(values)), ...measures];
      plots.replaceChildren(...shown.map(({ name, values }) => plot(name, values)), plot(SURPRISE, surprises));
    },
    fail: (message) => say(message, true),
  };
}

function plot(name: string, values: readonly number[]): HTMLElement {
  const opened = openTimePlot(name);
  opened.show(values);
  return opened.element;
}

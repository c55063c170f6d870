/** What the chain remembers, over the steps: mirostat's limit, adaptive_p's average, any `state`. */
import { h, short, svg } from "../dom.js";
import type { WalkReply } from "../engine/messages.js";

const WIDTH = 480;
const HEIGHT = 110;

export interface StatesPanel {
  steps(): number;
  show(reply: WalkReply): void;
  /** There is nothing to show, which is no fault. */
  say(message: string): void;
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
    show({ backend, tokens, surprises, states }) {
      const mean = surprises.reduce((a, b) => a + b, 0) / Math.max(1, surprises.length);
      say(
        `on ${backend}; the same logits at every step, each picked token accepted; mean surprise ${short(mean)} bits; first tokens ${tokens.slice(0, 12).join(" ")}`,
        false,
      );
      const shown = states.filter(({ values }) => values.some((v) => v !== values[0]));
      plots.replaceChildren(
        ...shown.map(({ name, values }) => plot(name, values)),
        plot("surprise of the picked token, bits", surprises),
      );
    },
    say: (message) => say(message, false),
    fail: (message) => say(message, true),
  };
}

function plot(name: string, values: readonly number[]): HTMLElement {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || 1;
  const x = (i: number): number => 4 + ((WIDTH - 8) * i) / Math.max(1, values.length - 1);
  const y = (value: number): number => HEIGHT - 6 - ((HEIGHT - 12) * (value - least)) / span;
  const points = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const label = `${name}: from ${short(values[0]!)} to ${short(values.at(-1)!)}, between ${short(least)} and ${short(most)}`;
  return h(
    "figure",
    { className: "state" },
    h(
      "figcaption",
      {},
      h("code", { textContent: name }),
      h("span", { className: "ends", textContent: `${short(least)} to ${short(most)}, last ${short(values.at(-1)!)}` }),
    ),
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, preserveAspectRatio: "none" },
      svg("title", {}, label),
      svg("polyline", { class: "line", points }),
    ),
  );
}

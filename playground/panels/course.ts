/** Plots a text: the surprise of each token and the chain's states after it and its measures, as lines that grow with the text. */
import type { Token } from "ggsl/models/thread/messages.js";
import { hasMoved, openTimePlot, SURPRISE, type TimePlot } from "../charts/time.js";
import { h } from "../dom.js";
import { surpriseOf } from "../engine/distribution.js";

interface Course {
  readonly element: HTMLElement;
  /** @param expected the maximum number of tokens */
  begin(expected: number): void;
  add(token: Token): void;
  /** Highlights a token, by its index in the text. */
  mark(at: number): void;
}

interface Line {
  readonly plot: TimePlot;
  readonly values: number[];
}

export function openCourse(title: string): Course {
  const plots = h("div", { className: "plots" });
  const element = h("div", { className: "course" }, h("h3", { textContent: title }), plots);
  const lines = new Map<string, Line>();
  let length = 0;
  let waiting = false;

  /** Draws at most once for each frame, since tokens come faster. */
  const drawSoon = (): void => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      lines.forEach(({ plot, values }) => plot.show(values));
    });
  };
  const extend = (name: string, value: number): Line => {
    const line = lines.get(name) ?? { plot: openTimePlot(name, length), values: [] };
    if (!lines.has(name)) plots.append(line.plot.element);
    lines.set(name, line);
    line.values.push(value);
    return line;
  };
  return {
    element,
    begin(expected) {
      length = expected;
      lines.clear();
      plots.replaceChildren();
    },
    add({ probability = 0, states = {}, measures = {} }) {
      extend(SURPRISE, surpriseOf(probability));
      for (const [name, value] of Object.entries(states)) {
        const { plot, values } = extend(name, value);
        plot.element.hidden = !hasMoved(values);
      }
      for (const [name, value] of Object.entries(measures)) extend(name, value);
      drawSoon();
    },
    mark: (at) => lines.forEach(({ plot }) => plot.mark(at)),
  };
}

/** Plots a generation: the surprise of each token and the chain's states after it and its measures, as lines that grow with the text. */
import type { Token } from "ggsl/wasm/llama/messages.js";
import { h } from "../dom.js";
import { surpriseOf } from "../engine/distribution.js";
import { hasMoved, openPlot, SURPRISE, type Plot } from "./plot.js";

export interface Course {
  readonly element: HTMLElement;
  /** @param expected the maximum number of tokens */
  begin(expected: number): void;
  add(token: Token): void;
  /** Highlights a token, by its index in the text. */
  mark(at: number): void;
}

interface Line {
  readonly plot: Plot;
  readonly values: number[];
}

export function openCourse(): Course {
  const element = h("div", { className: "plots" });
  const lines = new Map<string, Line>();
  let length = 0;

  const lineOf = (name: string): Line => {
    const known = lines.get(name);
    if (known) return known;
    const line = { plot: openPlot(name, length), values: [] };
    lines.set(name, line);
    element.append(line.plot.element);
    return line;
  };
  const extend = (name: string, value: number): Line => {
    const line = lineOf(name);
    line.values.push(value);
    line.plot.show(line.values);
    return line;
  };
  return {
    element,
    begin(expected) {
      length = expected;
      lines.clear();
      element.replaceChildren();
    },
    add({ probability = 0, states = {}, measures = {} }) {
      extend(SURPRISE, surpriseOf(probability));
      for (const [name, value] of Object.entries(states)) {
        const { plot, values } = extend(name, value);
        plot.element.hidden = !hasMoved(values);
      }
      for (const [name, value] of Object.entries(measures)) extend(name, value);
    },
    mark: (at) => lines.forEach(({ plot }) => plot.mark(at)),
  };
}

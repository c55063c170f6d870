/** Plots a number per token as a line: a state, or the surprise of the picked token. */
import { h, short, svg } from "../dom.js";

/** The name of the line that every chain has. */
export const SURPRISE = "surprise, bits";

/** Whether a state ever changes; constant ones are not plotted. */
export const hasMoved = (values: readonly number[]): boolean => values.some((value) => value !== values[0]);

const WIDTH = 480;
const HEIGHT = 110;

export interface Plot {
  readonly element: HTMLElement;
  /** One value for each token so far, at least one. */
  show(values: readonly number[]): void;
  /** Highlights one of them. */
  mark(at: number): void;
}

/** @param expected the length of the axis, which a growing line fills from the left; default: the number of values */
export function openPlot(name: string, expected = 0): Plot {
  const ends = h("span", { className: "ends" });
  const title = svg("title");
  const line = svg("polyline", { class: "line" });
  const here = svg("line", { class: "here", y1: 0, y2: HEIGHT, visibility: "hidden" });
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", preserveAspectRatio: "none" },
    title,
    here,
    line,
  );
  const element = h(
    "figure",
    { className: "state" },
    h("figcaption", {}, h("code", { textContent: name }), ends),
    drawing,
  );
  let x = (_: number): number => 0;
  return {
    element,
    show(values) {
      const [least, most] = [Math.min(...values), Math.max(...values)];
      const span = most - least || 1;
      const last = Math.max(1, expected - 1, values.length - 1);
      x = (i) => 4 + ((WIDTH - 8) * i) / last;
      const y = (value: number): number => HEIGHT - 6 - ((HEIGHT - 12) * (value - least)) / span;
      const places = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`);
      // a line needs two points; the round caps show a single one as a dot
      line.setAttribute("points", (places.length === 1 ? [places[0], places[0]] : places).join(" "));
      const [first, latest] = [short(values[0]!), short(values.at(-1)!)];
      ends.textContent = `${short(least)} to ${short(most)}, last ${latest}`;
      const label = `${name}: from ${first} to ${latest}, between ${short(least)} and ${short(most)}`;
      title.textContent = label;
      drawing.setAttribute("aria-label", label);
    },
    mark(at) {
      here.setAttribute("visibility", "visible");
      here.setAttribute("x1", x(at).toFixed(1));
      here.setAttribute("x2", x(at).toFixed(1));
    },
  };
}

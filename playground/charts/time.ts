/** A number for each token as a line: a state, a measure, or the surprise of the picked token. */
import { scaleLinear } from "d3-scale";
import { h, short, svg } from "../dom.js";
import { chart, frameOf } from "./axes.js";
import { sized } from "./sized.js";
import { greatest, least } from "@ggsl/compiler/core/extremes.js";

/** In pixels. */
const HEIGHT = 118;

/** The name of the line that every chain has. */
export const SURPRISE = "surprise";

/** What the numbers of a line are. */
const UNITS: Readonly<Record<string, string>> = { [SURPRISE]: "bits" };

/** Whether a state ever changes; constant ones are not plotted. */
export const hasMoved = (values: readonly number[]): boolean => values.some((value) => value !== values[0]);

export interface TimePlot {
  readonly element: HTMLElement;
  /** One value for each token so far, at least one. */
  show(values: readonly number[]): void;
  /** Highlights one of them. */
  mark(at: number): void;
}

/** @param expected the length of the axis, which a growing line fills from the left; default: the number of values */
export function openTimePlot(name: string, expected = 0): TimePlot {
  const ends = h("span", { className: "ends" });
  const drawing = sized(HEIGHT, (width) => (latest.length > 0 ? pictureOf(width) : undefined));
  const element = h(
    "figure",
    { className: "state" },
    h("figcaption", {}, h("code", { textContent: name }), " ", ends),
    drawing.element,
  );
  let latest: readonly number[] = [];
  let marked: number | undefined;
  const pictureOf = (width: number): SVGElement => {
    const values = latest;
    const frame = frameOf(width, HEIGHT, 40);
    const { left, right, top, bottom } = frame;
    const [lowest, most] = [least(values), greatest(values)];
    const last = Math.max(1, expected - 1, values.length - 1);
    const x = scaleLinear([0, last], [left, right]);
    const y = scaleLinear(lowest < most ? [lowest, most] : [lowest - 1, most + 1], [bottom, top]);
    const places = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`);
    const [first, present] = [short(values[0]!), short(values.at(-1)!)];
    const at = marked === undefined ? [] : [x(marked)];
    return chart(
      frame,
      `${name}: from ${first} to ${present}, between ${short(lowest)} and ${short(most)}`,
      { title: "token", ticks: x.ticks(5).map((tick) => ({ at: x(tick), label: `${tick}` })) },
      { title: UNITS[name] ?? "value", ticks: y.ticks(4).map((tick) => ({ at: y(tick), label: short(tick) })) },
      ...at.map((place) => svg("line", { class: "here", x1: place, x2: place, y1: top, y2: bottom })),
      // a line needs two points; the round caps show a single one as a dot
      svg("polyline", {
        class: "line after",
        points: (places.length === 1 ? [...places, ...places] : places).join(" "),
      }),
    );
  };
  return {
    element,
    show(values) {
      latest = values;
      ends.textContent = `last ${short(values.at(-1)!)}`;
      drawing.redraw();
    },
    mark(at) {
      marked = at;
      drawing.redraw();
    },
  };
}

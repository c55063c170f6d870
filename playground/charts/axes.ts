/** A chart's frame: axes with ticks, units and grid lines, around marks that the caller places. */
import { svg } from "../dom.js";

interface Tick {
  /** In pixels from the left, or from the top. */
  readonly at: number;
  readonly label: string;
}

interface Axis {
  /** What it shows, with its unit. */
  readonly title: string;
  readonly ticks: readonly Tick[];
}

/** The size of a chart, and the place of its marks in it, in pixels. */
interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A frame with room for axes below and at the left. */
export const frameOf = (width: number, height: number, left = 38): Frame => ({
  width,
  height,
  left,
  right: width - 10,
  top: 17,
  bottom: height - 30,
});

/** @param label the content in words, for those who do not see the picture */
export function chart(frame: Frame, label: string, x: Axis, y: Axis, ...marks: readonly SVGElement[]): SVGElement {
  const { width, height, left, right, top, bottom } = frame;
  const text = (className: string, at: { x: number; y: number; anchor: string }, content: string): SVGElement =>
    svg("text", { class: className, x: at.x, y: at.y, "text-anchor": at.anchor }, content);
  return svg(
    "svg",
    { class: "chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ...y.ticks.map(({ at }) => svg("line", { class: "grid", x1: left, x2: right, y1: at, y2: at })),
    ...y.ticks.map(({ at, label: tick }) => text("tick", { x: left - 4, y: at + 3.5, anchor: "end" }, tick)),
    ...x.ticks.map(({ at }) => svg("line", { class: "axis", x1: at, x2: at, y1: bottom, y2: bottom + 3 })),
    ...x.ticks.map(({ at, label: tick }) => text("tick", { x: at, y: bottom + 14, anchor: "middle" }, tick)),
    text("unit", { x: 2, y: 10, anchor: "start" }, y.title),
    text("unit", { x: right, y: height - 3, anchor: "end" }, x.title),
    ...marks,
    svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    svg("line", { class: "axis", x1: left, x2: left, y1: top, y2: bottom }),
  );
}

/** A part of one as a share of a hundred, without a sign: `12`, `0.5`. */
export const hundredths = (part: number): string => `${Number((100 * part).toPrecision(2))}`;

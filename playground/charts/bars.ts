/** The probabilities of the likeliest tokens before and after a stage, side by side, the likeliest first. */
import { scaleLinear } from "d3-scale";
import { svg } from "../dom.js";
import { chart, frameOf, hundredths } from "./axes.js";
import { sized } from "./sized.js";

/** In pixels. */
const HEIGHT = 118;
const TOP = 17;

/** A token before and after a stage. */
export interface TokenChange {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** Kept: whether the row is in the table before, and after. */
  readonly wasKept: boolean;
  readonly isKept: boolean;
  readonly isPicked: boolean;
}

/** @param most the upper end of the axis */
export const bars = (tokens: readonly TokenChange[], most: number, label: string): HTMLElement =>
  sized(HEIGHT, (width) => drawBars(tokens, most, label, width)).element;

function drawBars(tokens: readonly TokenChange[], most: number, label: string, width: number): SVGElement {
  const frame = frameOf(width, HEIGHT, 26);
  const { left, right, top, bottom } = frame;
  const step = (right - left) / tokens.length;
  const y = scaleLinear([0, most], [bottom, top]);
  const places = [1, Math.ceil(tokens.length / 2), tokens.length].filter((at, i, all) => all.indexOf(at) === i);
  return chart(
    frame,
    label,
    {
      title: "token, likeliest first",
      ticks: places.map((place) => ({ at: left + step * (place - 0.5), label: `${place}` })),
    },
    { title: "probability, %", ticks: y.ticks(3).map((at) => ({ at: y(at), label: hundredths(at) })) },
    ...tokens.map((token, i) => barsOf(token, left + i * step, step, y, bottom)),
  );
}

function barsOf(
  { name, before, after, wasKept, isKept, isPicked }: TokenChange,
  x: number,
  step: number,
  y: (prob: number) => number,
  bottom: number,
): SVGElement {
  const bar = (kind: string, prob: number, inset: number): SVGElement[] => {
    if (prob <= 0) return [];
    const height = Math.max(1, bottom - y(prob));
    return [svg("rect", { class: kind, x: x + inset, y: bottom - height, width: step - 1 - 2 * inset, height })];
  };
  const isDropped = wasKept && !isKept;
  return svg(
    "g",
    { class: isDropped ? "token dropped" : "token" },
    svg("title", {}, `${name}: ${changeText({ before, after, wasKept, isKept })}${isPicked ? ", picked" : ""}`),
    svg("rect", { class: "hit", x, y: TOP, width: step, height: bottom - TOP }),
    ...bar("before", before, 0),
    ...bar("after", after, step / 5),
    ...(isDropped ? [svg("rect", { class: "gone", x: x + 1, y: bottom - 2, width: step - 3, height: 2 })] : []),
    ...(isPicked ? [svg("path", { class: "pick", d: `M${x + step / 2} ${bottom + 1}l4 6h-8z` })] : []),
  );
}

/** `31 % to 42 %`, `4 %, dropped here`. */
export function changeText({
  before,
  after,
  wasKept,
  isKept,
}: Pick<TokenChange, "before" | "after" | "wasKept" | "isKept">): string {
  if (isKept) return `${hundredths(before)} % to ${hundredths(after)} %`;
  return wasKept ? `${hundredths(before)} %, dropped here` : "dropped before";
}

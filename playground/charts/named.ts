/** The likeliest tokens by name, with their probabilities before and after, from top to bottom. */
import { scaleLinear } from "d3-scale";
import { svg } from "../dom.js";
import { chart, hundredths } from "./axes.js";
import { changeText, type TokenChange } from "./bars.js";
import { sized } from "./sized.js";

const ROW = 23;
const LEFT = 100;
const TOP = 8;
/** Of the axis. */
const BELOW = 30;
/** The maximum length of a name. */
const LONGEST = 12;

/** @param most the right end of the axis */
export const namedBars = (tokens: readonly TokenChange[], most: number, label: string): HTMLElement =>
  sized(TOP + tokens.length * ROW + BELOW, (width) => draw(tokens, most, label, width)).element;

function draw(tokens: readonly TokenChange[], most: number, label: string, width: number): SVGElement {
  const bottom = TOP + tokens.length * ROW;
  // room for the value after the longest bar
  const frame = { width, height: bottom + BELOW, left: LEFT, right: width - 56, top: TOP, bottom };
  const x = scaleLinear([0, most], [LEFT, frame.right]);
  return chart(
    frame,
    label,
    { title: "probability, %", ticks: x.ticks(4).map((at) => ({ at: x(at), label: hundredths(at) })) },
    { title: "", ticks: [] },
    ...tokens.map((token, i) => row(token, TOP + i * ROW, x)),
  );
}

function row(token: TokenChange, y: number, x: (prob: number) => number): SVGElement {
  const { name, before, after, wasKept, isKept, isPicked } = token;
  const bar = (kind: string, prob: number, top: number, height: number): SVGElement[] =>
    prob > 0 ? [svg("rect", { class: kind, x: LEFT, y: y + top, width: Math.max(1, x(prob) - LEFT), height })] : [];
  const end = Math.max(x(before), x(after)) + 4;
  return svg(
    "g",
    { class: `row${isPicked ? " picked" : ""}${isKept ? "" : " dropped"}` },
    svg("title", {}, `${name}: ${changeText(token)}${isPicked ? ", picked" : ""}`),
    svg("text", { class: "name", x: LEFT - 6, y: y + 15, "text-anchor": "end" }, cut(name)),
    ...bar("before", before, 3, 6),
    ...bar("after", after, 9, 10),
    svg(
      "text",
      { class: "value", x: end, y: y + 16 },
      isKept ? `${hundredths(after)}${isPicked ? " ◀" : ""}` : wasKept ? "dropped" : "–",
    ),
  );
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

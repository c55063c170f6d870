/** The probability at each rank before and after a stage, both axes logarithmic. */
import { scaleLog } from "d3-scale";
import { svg } from "../dom.js";
import { chart, frameOf, type Tick } from "./axes.js";

/** The lower end of the axis; below it a token is picked less than once in a million. */
const SMALLEST = 1e-6;

/** @param before and `after`: probabilities at these ranks; 0 where there are fewer rows */
export function rankPlot(
  ranks: readonly number[],
  before: Float32Array,
  after: Float32Array,
  label: string,
): SVGElement {
  const frame = frameOf(240, 112, 34);
  const { left, right, top, bottom } = frame;
  const x = scaleLog([1, Math.max(2, ranks.at(-1)!)], [left, right]);
  const y = scaleLog([SMALLEST, 1], [bottom, top]);
  const line = (kind: string, probs: Float32Array): SVGElement[] => {
    const points = ranks.flatMap((rank, i) => (probs[i]! >= SMALLEST ? [[x(rank), y(probs[i]!)] as const] : []));
    // a line needs two points; the round caps show a single one as a dot
    const drawn = points.length === 1 ? [points[0]!, points[0]!] : points;
    const places = drawn.map((point) => point.map((at) => at.toFixed(1)).join(","));
    return [svg("polyline", { class: `line ${kind}`, points: places.join(" ") })];
  };
  const powers = (from: number, to: number, step: number): number[] =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
  const tick =
    (scale: (value: number) => number) =>
    (exponent: number): Tick => ({ at: scale(10 ** exponent), label: powerText(exponent) });
  return chart(
    frame,
    label,
    { title: "rank, logarithmic", ticks: powers(0, Math.floor(Math.log10(ranks.at(-1)!) + 1e-9), 1).map(tick(x)) },
    { title: "probability, logarithmic", ticks: powers(-6, 0, 2).map(tick(y)) },
    ...line("before", before),
    ...line("after", after),
  );
}

const DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** `1`, `10`, `10⁻⁴`. */
function powerText(exponent: number): string {
  if (exponent === 0) return "1";
  if (exponent === 1) return "10";
  return `10${exponent < 0 ? "⁻" : ""}${DIGITS[Math.abs(exponent)]!}`;
}

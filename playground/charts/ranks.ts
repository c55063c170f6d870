/**
 * The probability at each rank before and after a stage, both axes logarithmic; what the stage drops is filled. The axes end where the
 * rows before the stage end, so that a stage late in a chain shows what it does to the few rows that it gets.
 */
import { scaleLog } from "d3-scale";
import { svg } from "../dom.js";
import { chart, frameOf } from "./axes.js";
import { sized } from "./sized.js";
import { least } from "@ggsl/compiler/core/extremes.js";

/** In pixels. */
const HEIGHT = 118;

/** The lower end of the axis; below it a token is picked less than once in a million. */
const SMALLEST = 1e-6;

interface Ranked {
  readonly ranks: readonly number[];
  /** Probabilities at these ranks; 0 where there are fewer rows. */
  readonly before: Float32Array;
  readonly after: Float32Array;
  /** How many rows there are before the stage, and after it. */
  readonly rowsBefore: number;
  readonly rows: number;
}

export const rankPlot = (ranked: Ranked, label: string): HTMLElement =>
  sized(HEIGHT, (width) => drawRanks(ranked, label, width)).element;

function drawRanks({ ranks, before, after, rowsBefore, rows }: Ranked, label: string, width: number): SVGElement {
  const frame = frameOf(width, HEIGHT, 34);
  const { left, right, top, bottom } = frame;
  const isShown = (prob: number): boolean => prob >= SMALLEST;
  const last = ranks[before.findLastIndex(isShown)] ?? 1;
  const isWhole = before.every((prob, i) => isShown(prob) || ranks[i]! > rowsBefore);
  const most = Math.max(2, isWhole ? rowsBefore : last);
  const lowest = Math.floor(Math.log10(least([...before, ...after].filter(isShown), 0.1)));
  const x = scaleLog([1, most], [left, right]);
  const y = scaleLog([10 ** lowest, 1], [bottom, top]);
  const line = (kind: string, probs: Float32Array): SVGElement[] => {
    const points = ranks.flatMap((rank, i) =>
      rank <= most && isShown(probs[i]!) ? [[x(rank), y(probs[i]!)] as const] : [],
    );
    // a line needs two points; the round caps show a single one as a dot
    const drawn = points.length === 1 ? [points[0]!, points[0]!] : points;
    const places = drawn.map((point) => point.map((at) => at.toFixed(1)).join(","));
    return [svg("polyline", { class: `line ${kind}`, points: places.join(" ") })];
  };
  // from the first rank that is dropped to the last that was there
  const cut = ranks.flatMap((rank, i) =>
    rank > rows && isShown(before[i]!) ? [`${x(rank).toFixed(1)} ${y(before[i]!).toFixed(1)}`] : [],
  );
  const isCut = cut.length > 0 && rows > 0;
  const [from, to] = [cut[0], cut.at(-1)].map((point) => point?.split(" ")[0]);
  const area = isCut ? [svg("path", { class: "cut", d: `M${from} ${bottom}L${cut.join("L")}L${to} ${bottom}Z` })] : [];
  return chart(
    frame,
    label,
    { title: "rank of the token", ticks: ranksOf(most).map((rank) => ({ at: x(rank), label: `${rank}` })) },
    { title: "probability", ticks: powers(lowest).map((power) => ({ at: y(10 ** power), label: powerText(power) })) },
    ...area,
    ...line("before", before),
    ...line("after", after),
  );
}

/** Powers of ten, and the last rank if there is room for it. */
function ranksOf(most: number): number[] {
  const tens = Array.from({ length: Math.floor(Math.log10(most) + 1e-9) + 1 }, (_, i) => 10 ** i);
  return most >= 2 * tens.at(-1)! ? [...tens, most] : tens;
}

/** Exponents from the lowest to that of 1, at most four of them. */
function powers(lowest: number): number[] {
  const step = Math.ceil(-lowest / 3);
  return Array.from({ length: Math.floor(-lowest / step) + 1 }, (_, i) => -i * step);
}

const DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** `1`, `10`, `10⁻⁴`. */
function powerText(exponent: number): string {
  if (exponent === 0) return "1";
  if (exponent === 1) return "10";
  return `10${exponent < 0 ? "⁻" : ""}${DIGITS[Math.abs(exponent)]!}`;
}

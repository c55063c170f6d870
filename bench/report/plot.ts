/** Plots the ratios as SVG, readable on light and dark backgrounds. */
import type { Measurement, Spread } from "../results.js";

const LEFT = 190;
const WIDTH = 560;
const RIGHT = 60;
const TOP = 74;
const LINE = 17;
const GAP = 10;
const TICKS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

const STYLE = `
  svg { font: 12px system-ui, sans-serif; fill: #1f2328; background: #ffffff }
  .title { font-size: 15px; font-weight: 600 } .soft { fill: #59636e } .end { text-anchor: end } .middle { text-anchor: middle }
  .grid { stroke: #d1d9e0 } .one { stroke: #59636e; stroke-dasharray: 4 3 }
  .llama { fill: #0969da; stroke: #0969da } .host { fill: #bc4c00; stroke: #bc4c00 } .text { stroke: none }
  @media (prefers-color-scheme: dark) {
    svg { fill: #f0f6fc; background: #0d1117 } .soft { fill: #9198a1 } .grid { stroke: #3d444d } .one { stroke: #9198a1 }
    .llama { fill: #4493f8; stroke: #4493f8 } .host { fill: #db6d28; stroke: #db6d28 }
  }`;

/** A dot for each ratio, with a line between its quartiles. Below 1 GGSL is faster. */
export function plotRatios(title: string, measurements: readonly Measurement[]): string {
  const scale = scaleOf(measurements.flatMap((m) => [m.ratioToHost, ...(m.ratioToLlama ? [m.ratioToLlama] : [])]));
  let y = TOP;
  let chain = measurements[0]?.setting.chain;
  const lines = measurements.map((m) => {
    if (m.setting.chain !== chain) y += GAP;
    const isFirst = m.setting.chain !== chain || m === measurements[0];
    chain = m.setting.chain;
    y += LINE;
    return lineOf(m, y, scale.at, isFirst);
  });
  const height = y + 36;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + RIGHT} ${height}" role="img">`,
    `<title>${escape(title)}</title><style>${STYLE}</style>`,
    text(16, 26, title, "title"),
    legend(),
    ...scale.ticks.map(
      (tick) =>
        `<line class="${tick === 1 ? "one" : "grid"}" x1="${scale.at(tick)}" x2="${scale.at(tick)}" y1="${TOP}" y2="${y + 8}"/>` +
        text(scale.at(tick), y + 24, String(tick), "soft middle"),
    ),
    ...lines,
    "</svg>\n",
  ].join("\n");
}

interface Scale {
  readonly at: (ratio: number) => number;
  readonly ticks: readonly number[];
}

/** Logarithmic, wide enough for all quartiles and for 1. */
function scaleOf(ratios: readonly Spread[]): Scale {
  const all = ratios.flatMap(({ q1, q3 }) => [q1, q3]);
  const lowest = TICKS.findLast((tick) => tick <= Math.min(0.5, ...all)) ?? TICKS[0]!;
  const highest = TICKS.find((tick) => tick >= Math.max(2, ...all)) ?? TICKS.at(-1)!;
  const share = (ratio: number): number => Math.log(ratio / lowest) / Math.log(highest / lowest);
  const at = (ratio: number): number => round(LEFT + WIDTH * Math.min(1, Math.max(0, share(ratio))));
  return { at, ticks: TICKS.filter((tick) => tick >= lowest && tick <= highest) };
}

function lineOf(m: Measurement, y: number, at: Scale["at"], isFirst: boolean): string {
  const sequences = `${m.rows} sequence${m.rows === 1 ? "" : "s"}`;
  const mark = (ratio: Spread | undefined, kind: string): string =>
    ratio === undefined
      ? ""
      : `<line class="${kind}" stroke-width="2" x1="${at(ratio.q1)}" x2="${at(ratio.q3)}" y1="${y - 4}" y2="${y - 4}"/>` +
        `<circle class="${kind}" cx="${at(ratio.median)}" cy="${y - 4}" r="4"/>`;
  return [
    isFirst ? text(16, y, m.setting.chain, "") : "",
    text(LEFT - 14, y, sequences, "soft end"),
    mark(m.ratioToLlama, "llama"),
    mark(m.ratioToHost, "host"),
  ].join("");
}

const legend = (): string =>
  [
    `<circle class="llama" cx="22" cy="46" r="4"/>${text(32, 50, "time / llama.cpp's samplers on the same device", "soft")}`,
    `<circle class="host" cx="382" cy="46" r="4"/>${text(392, 50, "time / llama.cpp's samplers on the CPU", "soft")}`,
  ].join("");

const text = (x: number, y: number, value: string, style: string): string =>
  `<text x="${x}" y="${y}" class="${style}">${escape(value)}</text>`;

const escape = (value: string): string => value.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const round = (value: number): number => Math.round(value * 10) / 10;

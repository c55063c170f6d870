/** The parts of a figure: curves over the position of the token, and bars of numbers from 0 to 1. */
import { html, type Markup } from "../../core/markup.js";
import type { Curve } from "../curves.js";
import { linear, type Scale } from "./scale.js";
import { greatest, least } from "@ggsl/compiler/core/extremes.js";

/** A place in the figure, in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The width of a letter, roughly. */
export const LETTER = 7;

const px = (value: number): string => String(Math.round(value * 10) / 10);

export const label = (x: number, y: number, style: string, text: string): Markup =>
  html`<text x="${px(x)}" y="${px(y)}" class="${style}">${text}</text>`;

const titleOf = ({ left, top }: Box, text: string): Markup => label(left, top - 10, "title", text);

/** A line for each tick, with its value beside it. */
const rowsOf = ({ left, width }: Box, { at, ticks }: Scale): Markup[] =>
  ticks.flatMap((tick) => [
    html`<line class="grid" x1="${left}" x2="${left + width}" y1="${px(at(tick))}" y2="${px(at(tick))}" />`,
    label(left - 6, at(tick) + 4, "tick end", String(tick)),
  ]);

/**
 * A curve for each chain, with a band of one standard error on both sides.
 * @param tokens the last position of the axis
 */
export function curvesPanel(box: Box, title: string, curves: readonly Curve[], tokens: number): Markup {
  const { left, top, width, height } = box;
  const ends = curves.flatMap(({ means, errors }) =>
    means.flatMap((mean, i) => [mean - errors[i]!, mean + errors[i]!]),
  );
  const known = ends.filter(Number.isFinite);
  const y = linear([least(known, 0), greatest(known, 0)], [top + height, top], height / 40);
  const x = linear([1, Math.max(2, tokens)], [left, left + width], width / 90);
  const last = top + height;
  return html`<g>
    ${titleOf(box, title)} ${rowsOf(box, y)}
    ${x.ticks.map((tick) => label(x.at(tick), last + 18, "tick middle", String(tick)))}
    ${label(left + width, last + 36, "tick end", "position of the token in the text")}
    ${curves.map((curve, i) => curveOf(curve, i, x, y))}
  </g>`;
}

function curveOf({ means, errors }: Curve, chain: number, x: Scale, y: Scale): Markup {
  const known = means.flatMap((mean, i) => (Number.isFinite(mean) ? [i] : []));
  if (known.length === 0) return html``;
  const point = (i: number, value: number): string => `${px(x.at(i + 1))},${px(y.at(value))}`;
  const line = known.map((i) => point(i, means[i]!));
  // a line needs two points; the round caps show a single one as a dot
  if (line.length === 1) line.push(line[0]!);
  const above = known.map((i) => point(i, means[i]! + errors[i]!));
  const below = known.map((i) => point(i, means[i]! - errors[i]!)).reverse();
  return html`<polygon class="band chain${chain}" points="${[...above, ...below].join(" ")}" />
    <polyline class="curve chain${chain}" points="${line.join(" ")}" />`;
}

/** A group of bars for each name, with a bar and its value for each chain. */
export function barsPanel(
  box: Box,
  title: string,
  groups: readonly { readonly name: string; readonly values: readonly number[] }[],
): Markup {
  const { left, top, width, height } = box;
  // room for the value above a whole bar
  const y = linear([0, 1], [top + height, top + 14], 5);
  const group = width / groups.length;
  return html`<g>
    ${titleOf(box, title)} ${rowsOf(box, y)}
    ${groups.map(({ name, values }, i) => {
      const begin = left + i * group + group * 0.1;
      const bar = (group * 0.8) / values.length;
      return html`${label(left + (i + 0.5) * group, top + height + 18, "tick middle", name)}
      ${values.map((value, chain) => barOf({ left: begin + chain * bar, width: bar }, value, chain, y))}`;
    })}
  </g>`;
}

function barOf({ left, width }: Pick<Box, "left" | "width">, value: number, chain: number, y: Scale): Markup {
  if (!Number.isFinite(value)) return html``;
  const text = value.toFixed(2).replace(/^0/, "");
  const hasRoom = width >= text.length * LETTER;
  return html`<rect
      class="bar chain${chain}"
      x="${px(left + 1)}"
      y="${px(y.at(value))}"
      width="${px(width - 2)}"
      height="${px(y.at(0) - y.at(value))}"
    />
    ${hasRoom ? label(left + width / 2, y.at(value) - 4, "tick middle", text) : html``}`;
}

/** A comparison as a figure in SVG, which reads on light and dark backgrounds and needs nothing from elsewhere. */
import * as is from "../../core/check.js";
import { html, type Markup } from "../../core/markup.js";
import { finite } from "../../core/sharedOptions.js";
import { CURVE_NAMES, CURVES, type Comparison } from "../comparison.js";
import { MEASURES, type MeasureName } from "../measures.js";
import { barsPanel, curvesPanel, label, LETTER, type Box } from "./panels.js";
import { FIGURE_STYLE } from "./style.js";

export interface FigureOptions {
  /** In pixels, at least 280; default 760. */
  readonly width?: number | undefined;
}

const LEFT = 52;
const RIGHT = 16;
const PANEL = 190;
/** From the lower end of a panel to the upper end of the next one: the axis and the title. */
const BETWEEN = 78;
const LINE = 22;

/** The measures between 0 and 1. */
const BARS: readonly MeasureName[] = ["distinct1", "distinct2", "distinct3", "repetition4"];

const OPTIONS: is.Checks<FigureOptions> = { width: finite };
const check = is.options(OPTIONS);

/** An SVG document. Throws `InputError` for unknown options. */
export function drawFigure(comparison: Comparison, options: FigureOptions = {}): string {
  check(options, "options");
  const { width = 760 } = options;
  const { chains, tokens } = comparison;
  const names = chains.map(({ name }) => name);
  const first = 20 + names.length * LINE + 34;
  const box = (i: number): Box => ({
    left: LEFT,
    top: first + i * (PANEL + BETWEEN),
    width: Math.max(280, width) - LEFT - RIGHT,
    height: PANEL,
  });
  const curves = CURVE_NAMES.map((name, i) => {
    const { title, unit } = CURVES[name];
    return curvesPanel(
      box(i),
      `${title}, ${unit}`,
      chains.map((chain) => chain.curves[name]),
      tokens,
    );
  });
  const bars = barsPanel(
    box(curves.length),
    "different n-grams and repetition",
    BARS.map((name) => ({ name: MEASURES[name].title, values: chains.map(({ measures }) => measures[name]) })),
  );
  const { left, width: inner, top, height: last } = box(curves.length);
  const [whole, height] = [left + inner + RIGHT, top + last + 34];
  const { markup } = html`<svg
    xmlns="http://www.w3.org/2000/svg"
    class="ggsl-figure"
    viewBox="0 0 ${whole} ${height}"
    width="${whole}"
    height="${height}"
    role="img"
  >
    <title>${describe(comparison)}</title>
    <style>
      ${{ markup: FIGURE_STYLE }}
    </style>
    <rect class="back" width="${whole}" height="${height}" />
    ${names.map((name, i) => legendOf(name, i, whole))} ${curves} ${bars}
  </svg>`;
  return `${markup}\n`;
}

/** What the figure shows, in words. */
export const describe = ({ chains }: Comparison): string =>
  `Entropy of the model, log-probability of the picked token and repetition with ${chains.map(({ name }) => name).join(", ")}`;

function legendOf(name: string, chain: number, width: number): Markup {
  const y = 24 + chain * LINE;
  const most = Math.floor((width - 76) / LETTER);
  const shown = name.length > most ? `${name.slice(0, most - 1)}…` : name;
  return html`<line
      class="curve chain${chain}"
      x1="18"
      x2="50"
      y1="${y - 4}"
      y2="${y - 4}"
    />${label(60, y, "", shown)}`;
}

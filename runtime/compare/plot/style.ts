/**
 * Colours and lines of the figure. Chains differ in colour and in dashes; colours are told apart by colour-blind readers too. The
 * design's colours (docs/design.md), without variables, which some drawing programs do not know.
 */

interface Colours {
  readonly back: string;
  readonly ink: string;
  readonly faint: string;
  readonly grid: string;
  readonly chains: readonly string[];
}

const LIGHT: Colours = {
  back: "#ffffff",
  ink: "#1c2128",
  faint: "#5a6472",
  grid: "#e6e9ee",
  chains: ["#0072b2", "#c24e00", "#00795a", "#9b3a78"],
};
const DARK: Colours = {
  back: "#1b1f26",
  ink: "#e4e8ee",
  faint: "#9aa5b4",
  grid: "#2a303a",
  chains: ["#56b4e9", "#f0a04b", "#3fcf9f", "#e29ac4"],
};
const DASHES = ["none", "8 3", "2 3", "9 3 2 3"];

const rules = ({ back, ink, faint, grid, chains }: Colours): string => `
.ggsl-figure .back { fill: ${back} }
.ggsl-figure text { fill: ${ink} }
.ggsl-figure .tick { fill: ${faint} }
.ggsl-figure .grid { stroke: ${grid} }
${chains.map((colour, i) => `.ggsl-figure .band.chain${i}, .ggsl-figure .bar.chain${i} { fill: ${colour} }`).join("\n")}
${chains.map((colour, i) => `.ggsl-figure .curve.chain${i} { stroke: ${colour} }`).join("\n")}`;

export const FIGURE_STYLE = `
.ggsl-figure { font: 13px system-ui, sans-serif }
.ggsl-figure .tick { font-size: 12px }
.ggsl-figure .title { font-weight: 600 }
.ggsl-figure .end { text-anchor: end }
.ggsl-figure .middle { text-anchor: middle }
.ggsl-figure .curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }
.ggsl-figure .band { fill-opacity: .16 }
${DASHES.map((dashes, i) => `.ggsl-figure .curve.chain${i} { stroke-dasharray: ${dashes} }`).join("\n")}
${rules(LIGHT)}
@media (prefers-color-scheme: dark) {${rules(DARK)}
}
`;

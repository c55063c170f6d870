/** Colours and lines of the figure. Chains differ in colour and in dashes; colours are told apart by colour-blind readers too. */

interface Look {
  readonly light: string;
  readonly dark: string;
  readonly dashes: string;
}

const LOOKS: readonly Look[] = [
  { light: "#0072b2", dark: "#56b4e9", dashes: "none" },
  { light: "#c24e00", dark: "#f0a04b", dashes: "8 3" },
  { light: "#00795a", dark: "#3fcf9f", dashes: "2 3" },
  { light: "#9b3a78", dark: "#e29ac4", dashes: "9 3 2 3" },
];

const colours = (mode: "light" | "dark"): string =>
  LOOKS.map((look, i) => `.ggsl-figure .chain${i} { --chain: ${look[mode]} }`).join("\n");

export const FIGURE_STYLE = `
.ggsl-figure { font: 13px system-ui, sans-serif; --ink: #1c2128; --faint: #5d6775; --grid: #dfe3e8; --back: #ffffff }
${colours("light")}
${LOOKS.map(({ dashes }, i) => `.ggsl-figure .chain${i} { stroke-dasharray: ${dashes} }`).join("\n")}
@media (prefers-color-scheme: dark) {
.ggsl-figure { --ink: #e4e8ee; --faint: #9aa5b4; --grid: #363d48; --back: #1b1f26 }
${colours("dark")}
}
.ggsl-figure .back { fill: var(--back) }
.ggsl-figure text { fill: var(--ink) }
.ggsl-figure .tick { fill: var(--faint); font-size: 12px }
.ggsl-figure .title { font-weight: 600 }
.ggsl-figure .end { text-anchor: end }
.ggsl-figure .middle { text-anchor: middle }
.ggsl-figure .grid { stroke: var(--grid) }
.ggsl-figure .curve { fill: none; stroke: var(--chain); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }
.ggsl-figure .band { fill: var(--chain); fill-opacity: .16; stroke: none }
.ggsl-figure .bar { fill: var(--chain); stroke: none }
`;

/** Style sheets of pages. Colours of stages are hues of equal lightness, so that text on them reads in both modes. */
import { COLORS } from "./drawing.js";

const hue = (i: number): number => Math.round((i * 360) / COLORS + 20) % 360;
const stages = Array.from({ length: COLORS }, (_, i) => `.c${i} { --hue: ${hue(i)}; }`).join("\n");

/** What all pages have. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --back: #fff; --text: #1c1e21; --soft: #5c636d; --line: #d5d9df; --panel: #f5f6f8; --link: #0b57c2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #15171a; --text: #e4e6ea; --soft: #a2a9b4; --line: #3a3f47; --panel: #1e2125; --link: #86b7ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: 1rem; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; }
h3 { font-size: 1rem; margin: .6rem 0 .3rem; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
code { font-size: .9em; overflow-wrap: anywhere; }
nav a { display: inline-block; margin-right: 1rem; padding: .3rem 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.note { color: var(--soft); }
.scroll { overflow: auto; max-height: 80vh; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td code { display: inline-block; }
pre { margin: 0; padding: .6rem 0; font-size: .8rem; line-height: 1.45; }
details { margin: 1rem 0; }
summary { cursor: pointer; padding: .3rem 0; font-weight: 600; }
@media print { .scroll { max-height: none; overflow: visible; } }
`;

/** The style of the page of `ggsl explain`. */
export const STYLE = `${BASE_STYLE}
:root { --tint: 55% 91%; --mark: 55% 42%; }
@media (prefers-color-scheme: dark) { :root { --tint: 35% 22%; --mark: 50% 62%; } }
${stages}
.stage { display: flex; gap: .5em; align-items: baseline; }
svg .faint { opacity: .3; }
tr.idle { color: var(--soft); }
.chip { display: inline-block; min-width: 1.6em; padding: 0 .35em; border-radius: 4px; text-align: center; border: 1px solid hsl(var(--hue) var(--mark)); background: hsl(var(--hue) var(--tint)); }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; }
pre span { display: block; padding: 0 .7rem; border-left: 4px solid transparent; width: max-content; min-width: 100%; }
pre span[class] { border-left-color: hsl(var(--hue) var(--mark)); }
svg { display: block; margin: 0 auto; }
svg text { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 12px; text-anchor: middle; fill: var(--text); }
svg .detail { font-size: 10.5px; fill: var(--soft); }
svg rect { fill: var(--back); stroke: var(--line); stroke-width: 1.2; }
svg .node:not(.none) rect { fill: hsl(var(--hue) var(--tint)); stroke: hsl(var(--hue) var(--mark)); }
svg .edge { fill: none; stroke: var(--soft); stroke-width: 1; }
svg marker path { fill: var(--soft); }
@media (max-width: 56rem) {
  .pair { grid-template-columns: minmax(0, 1fr); }
  table.rows thead { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden; }
  table.rows tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  table.rows td { display: flex; gap: .8rem; border: 0; padding: .1rem 0; text-align: left; white-space: normal; }
  table.rows td::before { content: attr(data-name); flex: 0 0 7.5rem; color: var(--soft); }
}
`;

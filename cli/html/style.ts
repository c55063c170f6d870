/** Style sheets of pages, from the variables of the design. */
import { DESIGN } from "./design.generated.js";
import { COLORS } from "./drawing.js";

const stages = Array.from(
  { length: COLORS },
  (_, i) => `.c${i} { --area: var(--stage-${i}); --mark: var(--mark-${i}); }`,
).join("\n");

/** What all pages have. */
export const BASE_STYLE = `${DESIGN}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: var(--gap-4); background: var(--page); color: var(--ink); font: var(--size-text)/1.5 var(--sans); }
h1 { margin: 0 0 var(--gap-2); font-size: var(--size-page); overflow-wrap: anywhere; }
h2 { font-size: var(--size-title); margin: 0 0 var(--gap-2); }
h3 { font-size: var(--size-text); margin: var(--gap-2) 0 var(--gap-1); }
p { margin: var(--gap-1) 0 var(--gap-2); }
section { margin: var(--gap-3) 0; padding: var(--gap-3); background: var(--panel); border: 1px solid var(--edge); border-radius: var(--round); }
code, pre { font-family: var(--mono); }
code { font-size: .93em; overflow-wrap: anywhere; }
nav a { display: inline-block; margin-right: var(--gap-4); padding: var(--gap-1) 0; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.note { color: var(--faint); }
.scroll { overflow: auto; max-height: 80vh; background: var(--field); border: 1px solid var(--edge); border-radius: var(--round); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: var(--gap-1) var(--gap-2); border-bottom: 1px solid var(--edge); }
tr:last-child > td { border-bottom: 0; }
th { font-weight: 600; color: var(--faint); white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td code { display: inline-block; }
pre { margin: 0; padding: var(--gap-2) 0; font-size: var(--size-label); line-height: 1.45; }
details { margin: var(--gap-3) 0 0; }
summary { cursor: pointer; padding: var(--gap-1) 0; color: var(--faint); }
@media print { .scroll { max-height: none; overflow: visible; } }
`;

/** The style of the page of `ggsl explain`. */
export const STYLE = `${BASE_STYLE}
${stages}
.stage { display: flex; gap: .5em; align-items: baseline; }
svg .faint { opacity: .3; }
tr.idle { color: var(--faint); }
.chip { display: inline-block; min-width: 1.6em; padding: 0 .35em; border-radius: var(--gap-1); text-align: center; border: 1px solid var(--mark); background: var(--area); }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: var(--gap-4); }
pre span { display: block; padding: 0 .7rem; border-left: 4px solid transparent; width: max-content; min-width: 100%; }
pre span[class] { border-left-color: var(--mark); }
svg { display: block; margin: 0 auto; }
svg text { font-family: var(--mono); font-size: var(--size-label); text-anchor: middle; fill: var(--ink); }
svg .detail { font-size: var(--size-tick); fill: var(--faint); }
svg rect { fill: var(--panel); stroke: var(--edge); stroke-width: 1.2; }
svg .node:not(.none) rect { fill: var(--area); stroke: var(--mark); }
svg .node:not(.none) .detail { fill: var(--ink); }
svg .edge { fill: none; stroke: var(--faint); stroke-width: 1; }
svg marker path { fill: var(--faint); }
@media (max-width: 56rem) {
  .pair { grid-template-columns: minmax(0, 1fr); }
  table.rows thead { display: block; position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table.rows tr { display: block; padding: var(--gap-2) 0; border-bottom: 1px solid var(--edge); }
  table.rows td { display: flex; gap: var(--gap-3); border: 0; padding: .1rem 0; text-align: left; white-space: normal; }
  table.rows td::before { content: attr(data-name); flex: 0 0 7.5rem; color: var(--faint); }
}
`;

/** Pictures of docs/gallery.md: probabilities before and after a sampler, and a text up to its end. Readable in light and in dark, in the design's colours (docs/design.md). */

export interface Bar {
  readonly label: string;
  /** 0 to 1; undefined: none is drawn. */
  readonly before?: number;
  readonly after: number;
  /** It is no candidate any more. */
  readonly isDropped?: boolean;
}

const LEFT = 40;
const BAR = 38;
const HEIGHT = 96;
const TOP = 20;

const STYLE = `text{font:11px system-ui,sans-serif;fill:#5a6472}.a{fill:#2b5fb8}.b{fill:#c3cbd6}.x{fill:#c4483f}.l{stroke:#5a6472}@media(prefers-color-scheme:dark){text{fill:#9aa5b4}.a{fill:#7fb0ff}.b{fill:#4b5563}.x{fill:#ff8f86}.l{stroke:#9aa5b4}}`;

const escaped = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const round = (x: number): string => x.toFixed(1).replace(/\.0$/, "");

/**
 * @param most the value of the full height
 * @param label what the picture shows, in words
 * @param ending where a text ends, in words
 */
export function picture(
  bars: readonly Bar[],
  { most, unit, label, ending }: { most: number; unit: string; label: string; ending?: string | undefined },
): string {
  const width = LEFT + bars.length * BAR + (ending === undefined ? 8 : 96);
  const bottom = TOP + HEIGHT;
  const rect = (name: string, x: number, value: number, wide: number): string => {
    const height = Math.max(value > 0 ? 1 : 0, (value / most) * HEIGHT);
    return height === 0
      ? ""
      : `<rect class="${name}" x="${round(x)}" y="${round(bottom - height)}" width="${wide}" height="${round(height)}"/>`;
  };
  const parts = bars.flatMap(({ label: name, before, after, isDropped }, i) => {
    const x = LEFT + i * BAR;
    return [
      before === undefined ? "" : rect("b", x + 4, before, 14),
      rect("a", before === undefined ? x + 9 : x + 18, after, before === undefined ? 20 : 14),
      isDropped ? `<text class="x" x="${x + 25}" y="${bottom - 2}" text-anchor="middle">×</text>` : "",
      `<text x="${x + 19}" y="${bottom + 14}" text-anchor="middle">${escaped(name)}</text>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 22}" width="${width}" role="img" aria-label="${escaped(label)}"><title>${escaped(label)}</title><style>${STYLE}</style>`,
    `<text x="${LEFT - 4}" y="${TOP + 4}" text-anchor="end">${escaped(unit)}</text>`,
    ...parts.filter((part) => part !== ""),
    ending === undefined
      ? ""
      : `<text class="x" x="${LEFT + bars.length * BAR + 6}" y="${bottom - 4}">${escaped(ending)}</text>`,
    `<path class="l" d="M${LEFT} ${bottom}.5H${LEFT + bars.length * BAR}"/>`,
    "</svg>\n",
  ]
    .filter((part) => part !== "")
    .join("\n");
}

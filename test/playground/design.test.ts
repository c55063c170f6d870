/** The variables of all pages: those that are used exist, nothing else has colours, and texts can be read. */
import { expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { STYLE } from "../../cli/html/style.js";
import { FIGURE_STYLE } from "../../runtime/compare/plot/style.js";
import { picture } from "../../tools/docs/gallery/picture.js";

const [LIGHT_TEXT, DARK_TEXT] = readFileSync("cli/html/design.css", "utf8").split("@media") as [string, string];

const valuesIn = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name!, value!]));

const LIGHT = valuesIn(LIGHT_TEXT);
const DARK = new Map([...LIGHT, ...valuesIn(DARK_TEXT)]);

const cssIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".css"))
    .map((name) => join(folder, name));

const SHEETS = [...cssIn("playground/style"), "site/theme/style.css", "editors/vscode/preview/page.css"];
const sheets = new Map(SHEETS.map((path) => [path, readFileSync(path, "utf8")]));

test.each([...sheets, ["ggsl explain --html", STYLE] as const])("%s uses variables that exist", (_, text) => {
  const own = valuesIn(text);
  const used = [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!);
  const strange = used.filter((name) => !LIGHT.has(name) && !own.has(name) && !/^--(vp|vscode)-/.test(name));
  // which the drawing of a graph sets for each stage
  expect(strange.filter((name) => name !== "--area" && name !== "--mark")).toEqual([]);
});

test.each([...sheets])("%s has no colours of its own", (_, text) => {
  expect(text.match(/#[0-9a-f]{3,8}\b(?=[;\s)])|\b(?:rgb|hsl)a?\(/gi) ?? []).toEqual(
    // a line where the editor's theme has none
    text.includes("--vscode-panel-border") ? ["#8886"] : [],
  );
});

test("figures in files have the design's colours", () => {
  const drawn = (text: string): Set<string> => new Set(text.toLowerCase().match(/#[0-9a-f]{6}\b/g));
  const gallery = picture([{ label: "a", before: 0.5, after: 1 }], { most: 1, unit: "%", label: "one" });
  const known = new Set([...LIGHT.values(), ...DARK.values()]);
  for (const text of [FIGURE_STYLE, gallery]) {
    expect(drawn(text).size).toBeGreaterThan(7);
    expect([...drawn(text)].filter((colour) => !known.has(colour))).toEqual([]);
  }
  for (const [i, values] of [LIGHT, DARK].entries())
    for (let chain = 0; chain < 4; chain++)
      expect(FIGURE_STYLE.split("@media")[i]).toContain(
        `.curve.chain${chain} { stroke: ${values.get(`--chain-${chain}`)} }`,
      );
});

/** WCAG's relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const contrast = (a: string, b: string): number => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
};

test("texts have a contrast of 4.5 to what they stand on", () => {
  // from WCAG's own examples: black on white
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  const words = [...LIGHT.keys()].filter(
    (name) => name.startsWith("--code-") || /^--(error|warning|accent|picked|faint)$/.test(name),
  );
  const areas = [...LIGHT.keys()].filter((name) =>
    /^--(stage|likely)-[1-9]|^--stage-0|^--notice|^--selection/.test(name),
  );
  expect([words.length, areas.length]).toEqual([14, 14]);
  const pairs = [
    ...words.flatMap((name) => ["--panel", "--field", "--page"].map((on) => [name, on] as const)),
    ...areas.map((on) => ["--ink", on] as const),
    ["--on-accent", "--accent"] as const,
  ];
  for (const values of [LIGHT, DARK]) {
    const poor = pairs.filter(([text, on]) => contrast(values.get(text)!, values.get(on)!) < 4.5);
    expect(poor).toEqual([]);
  }
});

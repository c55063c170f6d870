/** How a comparison is shown: the table, CSV, curves and the figure, of texts that were written by hand. */
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { resultOf, type Comparison } from "../../runtime/compare/comparison.js";
import { CSV_HEAD, writeCsv } from "../../runtime/compare/csv.js";
import { curveOf } from "../../runtime/compare/curves.js";
import type { WrittenText } from "../../runtime/compare/measures.js";
import { drawFigure } from "../../runtime/compare/plot/figure.js";
import { linear, ticksOf } from "../../runtime/compare/plot/scale.js";
import { compareText } from "../../runtime/compare/table.js";

const text = (tokens: number[], entropies: number[], logprobs: number[], finish = "maxTokens"): WrittenText => ({
  seed: 1,
  text: tokens.join(" "),
  tokens,
  entropies,
  logprobs,
  finish,
});

const HOSTILE = `a"b,<script>alert('x')</script>\u0007&\nc`;

const comparison: Comparison = {
  prompt: "p",
  seed: 1,
  tokens: 3,
  chains: [
    resultOf({
      name: "first",
      hasOpenSeed: true,
      texts: [text([1, 2, 1], [1, 2, 3], [-1, -2, -3]), text([1], [3], [-3], "end")],
    }),
    resultOf({ name: HOSTILE, hasOpenSeed: false, texts: [text([], [], [], "end"), text([], [], [], "end")] }),
  ],
};

/** The records of a CSV file, by the grammar of RFC 4180. */
function parseCsv(csv: string): string[][] {
  const records: string[][] = [];
  let at = 0;
  while (at < csv.length) {
    const record: string[] = [];
    for (;;) {
      const [all, quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?=,|\r\n)/.exec(csv.slice(at))!;
      record.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
      at += all.length;
      if (csv[at] !== ",") break;
      at++;
    }
    at += 2;
    records.push(record);
  }
  return records;
}

test("curves: the mean and its standard error over the texts that are that long", () => {
  const { means, errors, texts } = curveOf([[1, 2, 3], [3], [5, 4]]);
  expect(means).toEqual([3, 3, 3]);
  // deviations of 2, 0 and 2: a variance of 8 / 2, and the root of 4 / 3; then of 1 and 1
  expect(errors).toEqual([expect.closeTo(Math.sqrt(4 / 3), 12), expect.closeTo(1, 12), 0]);
  expect(texts).toEqual([3, 2, 1]);
  expect(curveOf([[], []])).toEqual({ means: [], errors: [], texts: [] });
});

test("the measures of both chains", () => {
  const [first, second] = comparison.chains.map(({ measures }) => measures);
  expect(first).toEqual({
    // 1 and 2 of 1 2 1 1; 1 2 and 2 1; 1 2 1
    distinct1: 0.5,
    distinct2: 1,
    distinct3: 1,
    repetition4: NaN,
    entropy: 9 / 4,
    logprob: -9 / 4,
    length: 2,
    ended: 0.5,
    different: 2,
  });
  expect(second).toMatchObject({ distinct1: NaN, entropy: NaN, length: 0, ended: 1, different: 1 });
});

test("the table names columns by letters if a name is long, and shows no control characters", () => {
  const table = compareText(comparison);
  expect(table).toMatch(/^A {2}first\nB {2}a"b,<script>/);
  expect(table).not.toMatch(/\u0007|alert\('x'\)<\/script>&\n/);
  expect(table).toMatch(/\n +A +B\n/);
  expect(table).toMatch(/\ndistinct-1 +0\.500 +-\n/);
  expect(table).toMatch(/\nentropy, nats +2\.25 +-\n/);
  expect(
    Math.max(
      ...table
        .split("\n")
        .slice(3)
        .map(({ length }) => length),
    ),
  ).toBeLessThan(80);
  const [first] = comparison.chains;
  expect(compareText({ ...comparison, chains: [first!] })).toMatch(/^ +first\ndistinct-1 /);
});

test("CSV: a line for each measure and for each position of a curve", () => {
  const [head, ...records] = parseCsv(writeCsv(comparison));
  expect(head).toEqual([...CSV_HEAD]);
  expect(records.every(({ length }) => length === CSV_HEAD.length)).toBe(true);
  expect(records).toContainEqual(["first", "distinct-1", "", "", "0.5", "", "2"]);
  expect(records).toContainEqual(["first", "seq-rep-4", "", "", "", "", "2"]);
  // the second text ends before it
  expect(records).toContainEqual(["first", "log-probability", "nats", "3", "-3", "0", "1"]);
  expect(records).toContainEqual(["first", "entropy", "nats", "1", "2", "1", "2"]);
  expect(records.filter(([name]) => name === HOSTILE)).toHaveLength(9);
  expect(records).toHaveLength(9 + 9 + 3 + 3);
});

test("CSV: names of chains are read back as they are", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      const [chain] = comparison.chains;
      const records = parseCsv(writeCsv({ ...comparison, chains: [{ ...chain!, name }] }));
      expect(new Set(records.slice(1).map(([first]) => first))).toEqual(new Set([name]));
    }),
    { seed: 7 },
  );
});

describe("the figure", () => {
  const figure = drawFigure(comparison);

  test("has axes with their units, and no markup of a name", () => {
    expect(figure).toContain("entropy of the model, nats");
    expect(figure).toContain("log-probability of the picked token, nats");
    expect(figure).toContain("position of the token in the text");
    expect(figure).not.toContain("<script");
    expect(figure).toContain("&lt;script&gt;");
    expect(figure).not.toMatch(/NaN|Infinity|undefined|https?:(?!\/\/www\.w3\.org\/2000\/svg)/);
  });

  test("draws the values where the ticks say that they are", () => {
    // the ticks of the first panel, by their y
    const ticks = [...figure.matchAll(/<text x="46" y="([\d.]+)" class="tick end">([-\d.]+)<\/text>/g)].map(
      ([, y, value]) => [Number(value), Number(y) - 4] as const,
    );
    const zero = ticks.findIndex(([value]) => value === 0);
    const [[low, lowY], [high, highY]] = [ticks[zero]!, ticks[zero + 1]!];
    const [, points] = /class="curve chain0" points="([^"]*)"/.exec(figure)!;
    const shown = points!.split(" ").map((pair) => {
      const y = Number(pair.split(",")[1]);
      return low + ((high - low) * (lowY - y)) / (lowY - highY);
    });
    // the means at 1, 2 and 3
    expect(shown).toEqual([2, 2, 3].map((value) => expect.closeTo(value, 1)));
  });

  test("is as wide as asked for, and not narrower than it can be read", () => {
    expect(drawFigure(comparison, { width: 400 })).toContain('width="400"');
    expect(drawFigure(comparison, { width: 10 })).toContain('width="280"');
  });
});

test("ticks are round, within the range, and evenly spaced", () => {
  expect(ticksOf(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(ticksOf(-7.2, 0, 5)).toEqual([-6, -4, -2, 0]);
  // a step of 500 is wider than the range
  expect(ticksOf(1, 402, 2)).toEqual([200, 400]);
  const end = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(
      end,
      fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      fc.integer({ min: 2, max: 10 }),
      (from, span, n) => {
        const ticks = ticksOf(from, from + span, n);
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.length).toBeLessThanOrEqual(n + 1);
        const slack = 1e-6 * (span + Math.abs(from));
        for (const tick of ticks) expect(tick > from - slack && tick < from + span + slack).toBe(true);
        const { at } = linear([from, from + span], [0, 100], n);
        expect(at(from)).toBeCloseTo(0, 6);
        expect(at(from + span)).toBeCloseTo(100, 3);
      },
    ),
    { seed: 7, numRuns: 2000 },
  );
});

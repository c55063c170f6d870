/** Statistics of `ggsl conform`: against printed tables, and against counts that are drawn. */
import { expect, test } from "@jest/globals";
import { chiSquareTail, fisher, holm, testCounts } from "../../cli/conform/statistics.js";
import { random } from "../parity/random.js";

/** Critical values of chi-square (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4). */
test.each([
  [1, 0.05, 3.841],
  [1, 0.001, 10.828],
  [2, 0.1, 4.605],
  [5, 0.01, 15.086],
  [10, 0.05, 18.307],
  [10, 0.001, 29.588],
  [30, 0.025, 46.979],
  [61, 0.05, 80.232],
  [100, 0.05, 124.342],
  [100, 0.001, 149.449],
])("chi-square with %d degrees has %d above %d", (degrees, p, x) => {
  expect(chiSquareTail(x, degrees)).toBeCloseTo(p, 4);
  expect(Math.abs(chiSquareTail(x, degrees) / p - 1)).toBeLessThan(2e-3);
});

test("tails that are far out, and none", () => {
  expect(chiSquareTail(0, 3)).toBe(1);
  // with two degrees it is exp(-x / 2)
  expect(chiSquareTail(200, 2) / Math.exp(-100)).toBeCloseTo(1, 10);
  expect(chiSquareTail(1e-3, 2)).toBeCloseTo(Math.exp(-5e-4), 12);
});

test("counts that fit, that do not, and that cannot be", () => {
  const cells = [50, 30, 20].map((expected) => ({ expected, observed: expected }));
  expect(testCounts(cells)).toEqual({ statistic: 0, degrees: 2, p: 1 });
  const other = testCounts([
    { expected: 50, observed: 60 },
    { expected: 50, observed: 40 },
  ]);
  expect([other.statistic, other.degrees]).toEqual([4, 1]);
  expect(other.p).toBeCloseTo(0.0455, 4);
  expect(testCounts([...cells, { expected: 0, observed: 1 }])).toEqual({ statistic: Infinity, degrees: 2, p: 0 });
  expect(testCounts([{ expected: 100, observed: 100 }])).toEqual({ statistic: 0, degrees: 0, p: 1 });
});

test("cells of few expected counts are joined", () => {
  const few = [1, 2, 3, 1, 93].map((expected) => ({ expected, observed: expected }));
  expect(testCounts(few).degrees).toBe(1);
  expect(testCounts([...few, { expected: 1, observed: 7 }]).degrees).toBe(1);
});

test("p-values together", () => {
  // -2 (log 0.1 + log 0.1) = 9.2103, of chi-square with 4 degrees
  expect(fisher([0.1, 0.1])).toBeCloseTo(0.056, 3);
  expect(fisher([0.3])).toBeCloseTo(0.3, 12);
  expect([fisher([]), fisher([0.5, 0])]).toEqual([1, 0]);
  expect(holm([0.01, 0.04, 0.03])).toEqual([0.03, 0.06, 0.06]);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
});

test("p-values of drawn counts are as chance has it", () => {
  const r = random(11);
  const probabilities = [0.4, 0.25, 0.15, 0.1, 0.06, 0.03, 0.01];
  const found = Array.from({ length: 400 }, () => {
    const counts = probabilities.map(() => 0);
    for (let i = 0; i < 500; i++) {
      let draw = r.uniform();
      const cell = probabilities.findIndex((p) => (draw -= p) < 0);
      counts[cell < 0 ? 0 : cell]!++;
    }
    return testCounts(probabilities.map((p, i) => ({ expected: 500 * p, observed: counts[i]! }))).p;
  });
  for (const level of [0.05, 0.25, 0.5]) {
    const share = found.filter((p) => p < level).length / found.length;
    // three standard errors
    expect(Math.abs(share - level)).toBeLessThan(3 * Math.sqrt((level * (1 - level)) / found.length));
  }
});

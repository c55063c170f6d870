/** Measurements with whole models as a table. */
import type { ModelMeasurement } from "../results.js";
import { spreadText, type Table } from "./table.js";

export const modelTable = (measurements: readonly ModelMeasurement[]): Table => ({
  head: ["what", "target", "measured", "met"],
  rows: measurements.map((m) => [m.what, targetText(m), foundText(m), metText(m)]),
});

function targetText({ most, least, unit = "" }: ModelMeasurement): string {
  if (most !== undefined) return `at most ${most} ${unit}`.trim();
  return least === undefined ? "-" : `at least ${least} ${unit}`.trim();
}

const foundText = ({ found, unit = "" }: ModelMeasurement): string =>
  `${typeof found === "number" ? found : spreadText(found)} ${unit}`.trim();

function metText({ found, most, least }: ModelMeasurement): string {
  const value = typeof found === "number" ? found : found.median;
  if (most === undefined && least === undefined) return "-";
  return value <= (most ?? Infinity) && value >= (least ?? -Infinity) ? "yes" : "no";
}

/** Chains in other runtimes as tables. */
import type { RuntimeMeasurement, RuntimeSide } from "../results.js";
import { spreadText, type Table } from "./table.js";

const sidesOf = (measurements: readonly RuntimeMeasurement[]): string[] => [
  ...new Set(measurements.flatMap(({ sides }) => sides.map(({ side }) => side))),
];
const found = ({ sides }: RuntimeMeasurement, name: string): RuntimeSide | undefined =>
  sides.find(({ side }) => side === name);

/** Microseconds for a token; a star marks another token than that of GGSL's CPU backend. */
export function runtimeTable(measurements: readonly RuntimeMeasurement[]): Table {
  const cell = (side: RuntimeSide | undefined): string =>
    side === undefined ? "-" : `${spreadText(side.us)}${side.isSame ? "" : " *"}`;
  return {
    head: ["runtime", ...measurements.map(({ chain }) => chain)],
    rows: sidesOf(measurements).map((side) => [side, ...measurements.map((m) => cell(found(m, side)))]),
  };
}

/** The most that the checks and the draws of `evaluate` may cost. */
const MOST_OVER_NATIVE = 1.3;

export function evaluateTargets(measurements: readonly RuntimeMeasurement[]): Table {
  return {
    head: ["chain", "at most", "`evaluate` over the native call", "met"],
    rows: measurements.map(({ chain, evaluateRatio }) => [
      ...[chain, String(MOST_OVER_NATIVE), spreadText(evaluateRatio)],
      evaluateRatio.median <= MOST_OVER_NATIVE ? "yes" : "no",
    ]),
  };
}

/** `npm run bench -- --quick`: its output, and that its node counts are those of `ggsl explain`, or fewer where the CPU computes wide columns in one pass. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { currentPage } from "../../bench/report/page.js";
import { CHAINS, constantText } from "../../bench/chains.js";
import type { Measurement, Spread, Timings } from "../../bench/results.js";
import { openFolder, runBuilt } from "./tool.js";

const isSpread = (spread: Spread | undefined): boolean =>
  spread !== undefined && spread.q1 > 0 && spread.q1 <= spread.median && spread.median <= spread.q3;

test("the quick bench", () => {
  using folder = openFolder();
  const { status, stdout, stderr } = runBuilt("bench/dist/bench.js", "--quick", "--out", folder.path("out"));
  expect(stderr).toContain("[1/6] default, V=32000, 1 sequence, peaked");
  expect(status).toBe(0);
  const { measurements, machine } = JSON.parse(readFileSync(folder.path("out/timings.json"), "utf8")) as Timings;
  expect(machine.processors).toBeGreaterThan(0);
  expect(measurements.map((m) => `${m.setting.chain} ${m.rows}`)).toEqual(
    ["default", "typical", "greedy"].flatMap((chain) => [`${chain} 1`, `${chain} 4`]),
  );
  for (const m of measurements) checkMeasurement(m);
  expect(stdout).toContain("no typical");
  expect(readFileSync(folder.path("out/timings.svg"), "utf8")).toMatch(
    /^<svg [\s\S]*prefers-color-scheme: dark[\s\S]*<\/svg>\n$/,
  );
});

function checkMeasurement(m: Measurement): void {
  expect(m.sameAsHost).toBe(m.rows);
  expect([isSpread(m.ratioToHost), isSpread(m.ggsl.us), isSpread(m.host.us)]).toEqual([true, true, true]);
  expect(m.ggsl.readbackBytes).toBe(4 * m.rows);
  if (m.setting.chain === "typical") {
    expect([m.llama, m.missingInLlama]).toEqual([undefined, ["typical"]]);
  } else {
    expect(isSpread(m.ratioToLlama)).toBe(true);
    expect(m.sameAsLlama).toBe(m.rows);
    expect(m.llama!.readbackBytes).toBeGreaterThan(4 * m.rows);
  }
  if (m.rows > 1) return;
  const chain = CHAINS.find(({ name }) => name === m.setting.chain)!;
  const explained = runBuilt(
    "runtime/dist/cli/main.js",
    "explain",
    "-e",
    constantText(chain),
    "--vocab",
    String(m.vocab),
    "--json",
  );
  const found = JSON.parse(explained.stdout) as Readonly<
    Record<"nodes" | "nodesWithoutViews" | "readbackBytes", number>
  >;
  expect(found.readbackBytes).toBe(m.ggsl.readbackBytes);
  // explain counts the nodes that every device computes; the CPU computes those over wide columns in one pass
  const isNarrow = ["top_k", "greedy"].includes(chain.stages[0]!.sampler);
  for (const count of ["nodes", "nodesWithoutViews"] as const) {
    if (isNarrow) expect(m.alone![count]).toBe(found[count]);
    expect(m.ggsl[count]).toBeLessThanOrEqual(found[count]);
  }
}

test("wrong options are refused", () => {
  const run = runBuilt("bench/dist/bench.js", "--only", "nothing");
  expect([run.status, run.stdout]).toEqual([2, ""]);
  expect(run.stderr).toContain("--only: expected default, min_p");
});

test("docs/performance.md contains the latest measurements", () => {
  expect(readFileSync("docs/performance.md", "utf8")).toBe(currentPage());
});

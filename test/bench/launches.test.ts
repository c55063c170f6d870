/** The work on GPUs, as counted: that bench/results/launches.json is what the present graphs give, and what the model counts. */
import { expect, test } from "@jest/globals";
import { countCases } from "../../bench/cases/counts.js";
import { countWork } from "../../bench/counts.js";
import { readJson, type WorkCount } from "../../bench/results.js";

const recorded = readJson<readonly WorkCount[]>("bench/results/launches.json");

test("bench/results/launches.json is current: npm run bench:launches", async () => {
  expect(await countWork(countCases(), { isQuiet: true })).toEqual(recorded);
});

const work = (chain: string, rows: number): WorkCount => recorded.find((w) => w.chain === chain && w.rows === rows)!;

test("a kernel for each node, and more for sorts and scans", () => {
  const greedy = work("greedy()", 1);
  // one kernel reads all logits and writes an index; on CUDA a clamp comes first, which reads and writes all of them
  const bytes = 4 * greedy.vocab;
  expect(greedy.vulkan.ggsl).toEqual({ nodes: 1, nodesWithoutViews: 1, launches: 1, bytes: bytes + 4 });
  expect(greedy.cuda.ggsl).toEqual({ nodes: 2, nodesWithoutViews: 2, launches: 2, bytes: 3 * bytes + 4 });
  for (const { cuda, vulkan } of recorded)
    for (const { launches, nodesWithoutViews } of [cuda.ggsl, vulkan.ggsl])
      expect(launches).toBeGreaterThanOrEqual(Math.floor(nodesWithoutViews / 8));
});

test("launches do not depend on the number of sequences, where llama.cpp's do", () => {
  const [one, many] = [work("default chain", 1), work("default chain", 64)];
  expect(many.cuda.ggsl.launches).toBeLessThan(2 * one.cuda.ggsl.launches);
  expect(many.cuda.llama!.launches).toBeGreaterThan(32 * one.cuda.llama!.launches);
});

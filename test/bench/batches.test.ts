/** `npm run bench:batches`: that both sides write the same texts from the same random numbers. */
import { expect, test } from "@jest/globals";
import { TEXT_CHAINS } from "../../bench/texts/chains.js";
import { openGgsl } from "../../bench/texts/ggsl.js";
import { openLlama } from "../../bench/texts/llama.js";
import { runBuilt } from "./tool.js";

const MODEL = "examples/model/demo-q8_0.gguf";

test.each(TEXT_CHAINS)("$name: one sequence", async (chain) => {
  const ggsl = await openGgsl(MODEL, chain, 1);
  const llama = openLlama(MODEL, chain, chain.ways[0]!, 1);
  try {
    const [ours, theirs] = [await ggsl.write(), await llama.write()];
    expect(ours.tokens).toEqual(theirs.tokens);
    // a round begins with new chains
    expect((await llama.write()).tokens).toEqual(theirs.tokens);
    expect(theirs.samplingUs).toBeGreaterThan(0);
    expect(theirs.samplingUs).toBeLessThan(theirs.us);
    expect(ours.threads.get("main")).toBeGreaterThan(0);
  } finally {
    await Promise.all([ggsl.close(), llama.close()]);
  }
});

test("more texts than places: each has its length, and takes the place of one that has ended", async () => {
  const [chain] = TEXT_CHAINS;
  const lengths = [9, 3, 7, 1, 12, 5, 4];
  const ggsl = await openGgsl(MODEL, chain!, 1, { lengths });
  const llama = openLlama(MODEL, chain!, chain!.ways[1]!, 1, { lengths });
  try {
    const [ours, theirs] = [await ggsl.write(), await llama.write()];
    expect(ours.tokens.map((text) => text.length)).toEqual(lengths);
    expect(ours.tokens).toEqual(theirs.tokens);
  } finally {
    await Promise.all([ggsl.close(), llama.close()]);
  }
});

test("wrong options are refused", () => {
  const run = runBuilt("bench/dist/batches.js", "--only", "nothing");
  expect([run.status, run.stdout]).toEqual([2, ""]);
  expect(run.stderr).toMatch(/--only: expected default; default, 2 threads; .*; own chains, found nothing/);
});

/** The model's own logits, read beside a chain's results. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { DEMO_MODEL } from "../model/demo.js";
import { batchOf, codeOf } from "./batches.js";
import { GREEDY, nativeGraph } from "./graphs.js";

let model: NativeModel;
let prompt: Int32Array;
beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, {});
  prompt = model.tokenize("In the beginning", true, false);
});
afterAll(() => model.dispose());

/** The prompt, and a shorter one in another sequence. */
function asking(...wanted: readonly [number, number]) {
  const both = batchOf({ sequence: 0, tokens: prompt, at: 0 }, { sequence: 1, tokens: prompt.subarray(0, 2), at: 0 });
  const outputs = new Uint8Array(both.outputs.length);
  outputs[prompt.length - 1] = wanted[0];
  outputs[prompt.length + 1] = wanted[1];
  return { ...both, outputs };
}

/** Those of a context without chains. */
async function reference(): Promise<Float32Array[]> {
  const context = await model.createContext({ contextSize: 512, threads: 1, sequences: 2 });
  const outputs = await context.decode(asking(1, 1));
  context.dispose();
  return outputs.map(({ logits }) => logits!);
}

test.each(["graph", "host"] as const)("raw logits are read where they are asked for (%s)", async (placement) => {
  const expected = await reference();
  const chains = [nativeGraph(GREEDY), nativeGraph(GREEDY)];
  const context = await model.createContext({
    ...{ contextSize: 512, threads: 1, sequences: 2, cache: "shared" },
    ...{ chains, placement },
  });
  const rows = async (...wanted: readonly [number, number]) => {
    const outputs = await context.decode(asking(...wanted));
    for (const sequence of [0, 1]) context.remove(sequence);
    return outputs.map(({ raw, sampled }) => [raw, sampled!.length] as const);
  };
  expect(await rows(1, 1)).toEqual([
    [undefined, 1],
    [undefined, 1],
  ]);
  const { graphBuilds } = context.stats();
  expect(await rows(2, 1)).toEqual([
    [expected[0], 1],
    [undefined, 1],
  ]);
  expect(await rows(1, 2)).toEqual([
    [undefined, 1],
    [expected[1], 1],
  ]);
  expect(await rows(2, 2)).toEqual([
    [expected[0], 1],
    [expected[1], 1],
  ]);
  // asking builds no other graph
  expect(context.stats().graphBuilds).toBe(graphBuilds);
  expect(await codeOf(context.decode(asking(3, 1)))).toBe("INVALID_ARGUMENT");
  context.dispose();
});

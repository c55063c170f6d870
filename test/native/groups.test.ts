/** Chains in one batch: each computes the rows of its own sequences only. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { NativeContext, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { DEMO_MODEL } from "../model/demo.js";
import { batchOf } from "./batches.js";
import { nativeGraph, RANKED, TRUNCATED } from "./graphs.js";

let model: NativeModel;
beforeAll(async () => void (model = await loadBinding().loadModel(DEMO_MODEL, {})));
afterAll(() => model.dispose());

const STEPS = 4;
const open = (ranked: readonly boolean[]): Promise<NativeContext> =>
  model.createContext({
    contextSize: 256 * ranked.length,
    sequences: ranked.length,
    chains: ranked.map((isRanked) => nativeGraph(isRanked ? RANKED : TRUNCATED)),
    threads: 1,
  });

/** The shapes of the nodes of the latest graph: the four `ne` of ggml_tensor follow its type and buffer. */
const shapes = (context: NativeContext): string[] =>
  context.graphNodes!().map(({ bytes }) =>
    new BigInt64Array(bytes.buffer.slice(bytes.byteOffset + 16, bytes.byteOffset + 32)).join(" x "),
  );

test.each([
  ["side by side", [true, true, true, false]],
  ["apart", [true, false, true, true]],
])("sequences that are %s give what each gives alone, over as many rows", async (_, ranked) => {
  const [together, alone] = [await open(ranked), await open([true, false])];
  const token = (sequence: number, step: number): number => 10 + 7 * sequence + step;
  const uniforms = (sequence: number): Float32Array => Float32Array.of(ranked[sequence] ? 3 * sequence : 0.3);
  ranked.forEach((_, sequence) => together.setUniforms(sequence, uniforms(sequence)));
  const found: (readonly [readonly number[], readonly number[]])[][] = ranked.map(() => []);
  const given = ({ sampled, states }: { sampled?: Int32Array; states?: Float32Array }) =>
    [[...sampled!], [...states!].map((state) => Number(state.toFixed(3)))] as const;
  for (let at = 0; at < STEPS; at++) {
    const parts = ranked.map((_, sequence) => ({ sequence, tokens: [token(sequence, at)], at }));
    for (const output of await together.decode(batchOf(...parts))) found[output.sequence]!.push(given(output));
  }
  const { vocabSize } = model.info;
  const rows = shapes(together).filter((shape) => shape.startsWith(`${vocabSize} x `));
  // the logits, and what each chain makes of its own
  expect(new Set(rows)).toEqual(new Set([4, 3, 1].map((count) => `${vocabSize} x ${count}`)));
  for (const [sequence, isRanked] of ranked.entries()) {
    const place = isRanked ? 0 : 1;
    alone.remove(place);
    alone.setUniforms(place, uniforms(sequence));
    for (let at = 0; at < STEPS; at++) {
      const [output] = await alone.decode(batchOf({ sequence: place, tokens: [token(sequence, at)], at }));
      expect(given(output!)).toEqual(found[sequence]![at]);
    }
  }
  together.dispose();
  alone.dispose();
});

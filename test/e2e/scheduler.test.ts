/** How steps become batches, against a context that only writes down what it is asked for. */
import { expect, test } from "@jest/globals";
import { Scheduler } from "../../runtime/decode/scheduler/scheduler.js";
import type { Slot, Step } from "../../runtime/decode/scheduler/step.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import type { Batch, ContextStats, DecodeOutput, NativeContext } from "../../runtime/backends/native/binding.js";

const [GREEDY, OTHER] = ["greedy()", "top_k(2) |> dist(1)"].map((stages) =>
  encodeWire(compilePipeline(stages).graph),
) as [Int32Array, Int32Array];
const ALL_OF_0 = "decode 0 0 0 0 0";
const PROMPT = Int32Array.of(7, 8, 9, 1, 2);
const STEP: Step = { tokens: PROMPT, position: 0, uniforms: new Float32Array(), inputs: [] };
const next = (token: number): Step => ({ ...STEP, tokens: Int32Array.of(token), position: PROMPT.length });

/** A context that answers each token with the next one, and fails where sequence `bad` takes part. */
function stub(bad?: number, code?: string): { scheduler: Scheduler; calls: string[] } {
  const calls: string[] = [];
  const context: Partial<NativeContext> = {
    contextSize: 512,
    stats: () => ({}) as ContextStats,
    setUniforms: () => undefined,
    setChain(sequence) {
      calls.push(`setChain ${sequence}`);
      if (code === "UNSUPPORTED_OP" && calls.length === 1) throw Object.assign(new Error("refused"), { code });
    },
    canKeep: () => true,
    remove: (sequence, from = 0) => void calls.push(`remove ${sequence} from ${from}`),
    // oxlint-disable-next-line typescript/require-await -- a rejection, not a throw
    async decode({ sequences, tokens, outputs }: Batch): Promise<DecodeOutput[]> {
      calls.push(`decode ${[...sequences].join(" ")}`);
      if (sequences.includes(bad!)) throw Object.assign(new Error(`sequence ${bad}`), { code });
      const wanted = [...sequences.keys()].filter((i) => outputs[i] === 1);
      return wanted.map((i) => ({ sequence: sequences[i]!, sampled: Int32Array.of(tokens[i]! + 1) }));
    },
  };
  const open = (): Promise<NativeContext> => Promise.resolve(context as NativeContext);
  return {
    calls,
    scheduler: new Scheduler(2, loadBinding().Graph, open, { contextSize: 256, batchSize: 512, promptBatch: 128 }),
  };
}

const acquire = (scheduler: Scheduler, words: Int32Array): Promise<Slot> =>
  scheduler.acquire({ words, prompts: [PROMPT] });
const two = (scheduler: Scheduler): Promise<Slot[]> =>
  Promise.all([acquire(scheduler, GREEDY), acquire(scheduler, GREEDY)]);
const outcome = (promise: Promise<DecodeOutput>): Promise<unknown> =>
  promise.then(
    ({ sampled }) => sampled![0],
    (error: Error) => error.message,
  );

test("who waits at the same time is decoded together, in the order of the sequences", async () => {
  const { scheduler, calls } = stub();
  const [a, b] = await two(scheduler);
  expect(a!.contextSize).toBe(256);
  expect(await Promise.all([b!, a!].map((slot) => outcome(slot.decode(STEP))))).toEqual([3, 3]);
  await a!.decode(next(5));
  expect(calls).toEqual([`${ALL_OF_0} 1 1 1 1 1`, "decode 0"]);
});

test("an error reaches only the sequence that causes it", async () => {
  const { scheduler, calls } = stub(0, "INVALID_LOGITS");
  const slots = await two(scheduler);
  expect(await Promise.all(slots.map((slot) => outcome(slot.decode(STEP))))).toEqual(["sequence 0", 3]);
  expect(calls).toEqual([
    ...[`${ALL_OF_0} 1 1 1 1 1`, "remove 0 from 0", "remove 1 from 0"],
    ...[ALL_OF_0, "decode 1 1 1 1 1"],
  ]);
});

test("an error of the device reaches all, because their tokens are gone", async () => {
  const { scheduler } = stub(0, "COMPUTE_FAILED");
  const slots = await two(scheduler);
  expect(await Promise.all(slots.map((slot) => outcome(slot.decode(STEP))))).toEqual(["sequence 0", "sequence 0"]);
});

test("a slot that changes hands is emptied, and keeps an equal chain", async () => {
  const { scheduler, calls } = stub();
  const [a] = await two(scheduler);
  a!.release();
  const equal = await acquire(scheduler, GREEDY.slice());
  await equal.decode(STEP);
  equal.release();
  await (await acquire(scheduler, OTHER)).decode(STEP);
  expect(calls).toEqual([ALL_OF_0, "setChain 0", "remove 0 from 0", ALL_OF_0]);
});

test("a chain that is refused leaves its slot to others", async () => {
  const { scheduler, calls } = stub(undefined, "UNSUPPORTED_OP");
  const [a] = await two(scheduler);
  a!.release();
  const refused = await acquire(scheduler, OTHER);
  expect(await outcome(refused.decode(STEP))).toBe("refused");
  refused.release();
  expect(await outcome((await acquire(scheduler, GREEDY)).decode(STEP))).toBe(3);
  expect(calls).toEqual(["setChain 0", "setChain 0", ALL_OF_0]);
});

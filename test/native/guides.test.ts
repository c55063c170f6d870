/** Guides at the native interface: batches of any order and size, a chain that is split, and errors. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { guidesOf } from "../../compiler/graph/feeds.js";
import type { Graph, NodeId } from "../../compiler/graph/graph.js";
import { launches } from "../../compiler/graph/ops.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { placeGraph } from "../../runtime/backends/devices/place.js";
import type { Batch, ContextOptions, NativeContext, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { startSequence, uniformsOf } from "../../runtime/sequence/sequence.js";
import { DEMO_MODEL } from "../model/demo.js";
import { batchOf, type Part } from "./batches.js";

const { graph } = compilePipeline("cfg(2) |> top_k(20) |> dist(3)");
const INPUT = 1;
const inGraph = (g: Graph): Float32Array => uniformsOf(startSequence(g, 2048, { feed: { inputs: {} } }));

let model: NativeModel;
let prompt: Int32Array;
let other: Int32Array;
beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, { gpuLayers: 0 });
  prompt = model.tokenize("In the beginning", true, false);
  other = model.tokenize("And it came to pass in those days, that the king said", true, false);
});
afterAll(() => model.dispose());

/** Sequence 0 reads the logits of sequence 1. */
async function open(options: ContextOptions = {}, words = encodeWire(graph)): Promise<NativeContext> {
  const native = new (loadBinding().Graph)(words);
  const chains = [native, native, native, native];
  const guides = Uint8Array.of(0, 1, 0, 1);
  const context = await model.createContext({
    contextSize: 1024,
    sequences: 4,
    threads: 1,
    chains,
    guides,
    ...options,
  });
  context.setUniforms(0, inGraph(graph));
  context.setGuide(0, INPUT, 1);
  return context;
}

const parts = (): [Part, Part] => [
  { sequence: 0, tokens: prompt, at: 0 },
  { sequence: 1, tokens: other, at: 0 },
];

test("the graph has one guide, its first input after the logits", () => {
  expect(guidesOf(graph)).toEqual([{ name: "negative", input: INPUT }]);
});

test("a guide gives no results, in whatever order, and in batches of four tokens", async () => {
  const found = [];
  for (const batchSize of [512, 4]) {
    for (const order of [parts(), parts().reverse()]) {
      const context = await open({ batchSize, checkLogits: batchSize === 4 });
      const outputs = await context.decode(batchOf(...order));
      expect(outputs.map(({ sequence }) => sequence)).toEqual(order.map(({ sequence }) => sequence));
      expect(outputs.map((output) => Object.keys(output).sort())).toEqual(
        order.map(({ sequence }) => (sequence === 0 ? ["sampled", "sequence"] : ["sequence"])),
      );
      found.push(outputs.find(({ sequence }) => sequence === 0)!.sampled![0]);
      // two sequences pick; each row of raw logits is read back if it is checked
      expect(context.stats().readbackBytes).toBe(2 * 4 + (batchSize === 4 ? 4 * 4 * 2048 : 0));
      context.dispose();
    }
  }
  expect(new Set(found).size).toBe(1);
});

test("a chain that is split reads its guide's logits on the device", async () => {
  const last = graph.stages.length - 1;
  const bad = graph.nodes.findIndex(({ origin, op }) => origin?.stage === last && launches({ op }));
  const first = graph.nodes.findIndex(({ origin, op }) => origin?.stage === 0 && launches({ op }));
  const tokens = [];
  for (const without of [[], [bad], [first]] as readonly (readonly NodeId[])[]) {
    using placed = placeGraph(graph, 2048, { device: "CPU", inModel: true, without: () => without });
    const context = await open({}, placed.words);
    const uniforms = inGraph(graph);
    const [output] = await context.decode(batchOf(...parts()));
    tokens.push(placed.finish(output!, uniforms, [new Float32Array(2048)]).sampled![0]);
    context.dispose();
  }
  expect(new Set(tokens).size).toBe(1);
});

test("errors", async () => {
  const context = await open();
  const both = batchOf(...parts());
  const fault = (work: () => unknown): string => {
    try {
      work();
      return "none";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(fault(() => context.setGuide(0, 0, 1))).toBe("input 0 is not the logits of another sequence");
  expect(fault(() => context.setGuide(0, 7, 1))).toBe("input 7 is not the logits of another sequence");
  expect(fault(() => context.setGuide(0, INPUT, 9))).toBe("sequence: expected 0 to 3, found 9");
  expect(fault(() => context.setInput(0, INPUT, new Float32Array(2048)))).toBe(
    "input 1 is the logits of another sequence: set its guide instead",
  );
  const decode = (batch: Batch): Promise<string> =>
    context.decode(batch).then(
      () => "none",
      (error: Error) => error.message,
    );
  expect(await decode(batchOf(parts()[0]))).toBe("sequence 0 has an output, but its guide, sequence 1, has none");
  expect(await decode({ ...both, outputs: both.outputs.map((o, i) => (both.sequences[i] === 1 ? 0 : o)) })).toBe(
    "sequence 0 has an output, but its guide, sequence 1, has none",
  );
  context.setGuide(0, INPUT, 2);
  expect(await decode(both)).toBe("sequence 2 cannot guide sequence 0: it needs the same chain, as a guide");
  context.setGuide(0, INPUT, 0);
  expect(await decode(both)).toBe("sequence 0 cannot guide sequence 0: it needs the same chain, as a guide");
  context.setGuide(0, INPUT, 1);
  context.setChain(1, new (loadBinding().Graph)(encodeWire(compilePipeline("cfg(3) |> greedy()").graph)), true);
  expect(await decode(both)).toBe("sequence 1 cannot guide sequence 0: it needs the same chain, as a guide");
  context.setChain(1, new (loadBinding().Graph)(encodeWire(graph)), true);
  expect(await decode(both)).toBe("none");
  context.setUniforms(2, inGraph(graph));
  expect(await decode(batchOf({ sequence: 2, tokens: prompt, at: 0 }))).toBe("the chain's input 1 was never set");
  context.dispose();
});

test("a wire form with a guide that is not f32[V] is refused", () => {
  const words = encodeWire(graph);
  const { Graph: NativeGraph } = loadBinding();
  // 11 words of the head, then three for each input
  expect([...words.slice(11, 17)]).toEqual([0, -1, 0, 0, -1, 1]);
  for (const [at, value, message] of [
    [13, 1, "input 0: a guide, a constant or bits must be f32[V], after the logits"],
    [15, 20, "input 1: a guide, a constant or bits must be f32[V], after the logits"],
    [16, 4, "wire word 16: expected the role of an input from 0 to 3, found 4"],
  ] as const) {
    const damaged = words.slice();
    damaged[at] = value;
    expect(() => new NativeGraph(damaged)).toThrow(message);
  }
});

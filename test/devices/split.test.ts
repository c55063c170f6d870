/** A chain that is split between device and CPU gives the same result as the whole chain, wherever the split is. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Graph, NodeId } from "../../compiler/graph/graph.js";
import { launches } from "../../compiler/graph/ops.js";
import { bindDim, encodeWire } from "../../compiler/graph/wire.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { placeGraph, splitText } from "../../runtime/backends/devices/place.js";
import { splitGraph } from "../../runtime/backends/devices/split.js";
import type { NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  startSequence,
  uniformsOf,
} from "../../runtime/sequence/sequence.js";
import { batchOf } from "../native/batches.js";
import { DEMO_MODEL } from "../model/demo.js";

const CHAINS = [
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "typical(0.9) |> xtc(0.5, 0.05, seed: 3) |> mirostat_v2(5, 0.1, 7)",
  "penalties(64, 1.3, 0.2, 0.1) |> adaptive_p(0.3, 0.9, 5)",
];
/** Reads the logits of another sequence, which only the device has. */
const GUIDED = "cfg(2) |> top_k(20) |> dist(3)";
const SIZE = 500;
const LOGITS = Float32Array.from({ length: SIZE }, (_, i) => (i % 9 === 4 ? -Infinity : 5 * Math.sin(i * 12.9898)));

const GUIDE = LOGITS.map((_, i) => (i % 5 === 1 ? -Infinity : 4 * Math.cos(i * 7.7)));

/** The nodes that launch a kernel: each is tried as a split point. */
const candidates = (graph: Graph): NodeId[] => [...graph.nodes.keys()].filter((id) => launches(graph.nodes[id]!));

/** Three steps of a chain, with some nodes marked unsupported. */
function steps(graph: Graph, without: readonly NodeId[]): unknown[] {
  const binding = loadBinding();
  using placed = placeGraph(graph, SIZE, { device: "CPU", without: () => without });
  expect(placed.split === undefined).toBe(without.length === 0);
  const device = new binding.Evaluator(new binding.Graph(placed.words), { vocabSize: SIZE });
  let sequence = acceptPrompt(startSequence(graph, SIZE, { feed: { inputs: { negative: GUIDE } } }), [1, 2, 3, 2]);
  return [1, 2, 3].map(() => {
    const [uniforms, inputs] = [uniformsOf(sequence), featureInputs(sequence)];
    const results = placed.finish(device.evaluate({ logits: LOGITS, uniforms, inputs }), uniforms, inputs);
    sequence = acceptToken(sequence, results.sampled![0]!, results.states ?? new Float32Array());
    return results;
  });
}

describe.each([...CHAINS, GUIDED])("%s", (chain) => {
  const graph = compilePipeline(chain).rowsGraph;
  const whole = steps(graph, []);

  test("is the same wherever it is split", () => {
    for (const id of candidates(graph)) expect([id, steps(graph, [id])]).toEqual([id, whole]);
  });

  test("is split before the stage of the first unsupported node", () => {
    const last = graph.stages.length - 1;
    const id = graph.nodes.findIndex(({ origin, op }) => origin?.stage === last && launches({ op }));
    const { device, taps, host } = splitGraph(graph, [id]);
    expect(device.outputs).toEqual({});
    expect(taps.length).toBeGreaterThan(0);
    expect(host.inputs).toHaveLength(graph.inputs.length + taps.length);
    // no node of an earlier stage is computed twice
    for (const tap of taps) expect(graph.nodes[tap]!.origin?.stage ?? 0).toBeLessThan(last);
  });
});

describe("on a device that sorts at most 1024 rows, like CUDA without CUB", () => {
  const WIDE = 2000;
  const logits = Float32Array.from({ length: WIDE }, (_, i) => (i % 9 === 4 ? -Infinity : 5 * Math.sin(i * 12.9898)));
  const without = ({ nodes }: Graph): NodeId[] =>
    [...nodes.keys()].filter((id) => {
      const { op, inputs } = nodes[id]!;
      return (op === "argsort" || op === "top_k") && bindDim(nodes[inputs[0]!]!.dim, WIDE) > 1024;
    });

  test.each([
    ["top_k(40) |> top_p(0.95) |> temp(0.8) |> dist(42)", "top_k(40)", ["TOP_K"]],
    ["min_p(0.01) |> typical(0.9) |> dist(42)", "typical(0.9)", ["ARGSORT"]],
    ["min_p(0.05) |> temp(0.8) |> dist(42)", undefined, undefined],
  ])("%s", (chain, stage, ops) => {
    const { rowsGraph: graph } = compilePipeline(chain);
    const binding = loadBinding();
    const run = (unsupported: typeof without): unknown => {
      using placed = placeGraph(graph, WIDE, { device: "CPU", without: unsupported });
      if (unsupported === without) expect([placed.split?.stage, placed.split?.ops]).toEqual([stage, ops]);
      const device = new binding.Evaluator(new binding.Graph(placed.words), { vocabSize: WIDE });
      const uniforms = uniformsOf(startSequence(graph, WIDE));
      return placed.finish(device.evaluate({ logits, uniforms, inputs: [] }), uniforms, []);
    };
    expect(run(without)).toEqual(run(() => []));
  });
});

test("strict makes a split an error, and the reason is a sentence", () => {
  const { graph } = compilePipeline(CHAINS[0]!);
  const without = (g: Graph): NodeId[] => [g.nodes.findIndex(({ op }) => op === "cumsum")];
  const options = { device: "CPU", without };
  using placed = placeGraph(graph, SIZE, options);
  expect(placed.split).toMatchObject({ stage: "top_p(0.95)", index: 1, ops: ["CUMSUM"], device: "CPU" });
  const text = splitText(placed.split!);
  expect(text).toMatch(
    /^CPU cannot run CUMSUM: the chain runs on the CPU from `top_p\(0\.95\)` on, and \d+ bytes are read back per token$/,
  );
  // 40 rows, not the vocabulary
  expect(placed.split!.bytes).toBeLessThan(40 * 4 * 8);
  expect(() => placeGraph(graph, SIZE, { ...options, strict: true })).toThrow(`strict: ${text}`);
});

describe("in a model's graph", () => {
  let model: NativeModel;
  beforeAll(async () => void (model = await loadBinding().loadModel(DEMO_MODEL, { gpuLayers: 0 })));
  afterAll(() => model.dispose());

  test.each(CHAINS)("%s gives the same tokens split and whole", async (chain) => {
    const { graph } = compilePipeline(chain);
    const binding = loadBinding();
    const { vocabSize } = model.info;
    const last = graph.stages.length - 1;
    const bad = graph.nodes.findIndex(({ origin, op }) => origin?.stage === last && launches({ op }));
    const prompt = model.tokenize("In the beginning", true, false);
    const generate = async (without: readonly NodeId[]): Promise<number[]> => {
      using placed = placeGraph(graph, vocabSize, { device: "CPU", inModel: true, without: () => without });
      const native = new binding.Graph(placed.words);
      // the other sequence shares the subgraph, and has its own rows
      const context = await model.createContext({ contextSize: 512, sequences: 2, chains: [native, native] });
      const tokens: number[] = [];
      const players = [0, 1].map((sequence) => ({
        sequence,
        at: 0,
        tokens: prompt,
        state: acceptPrompt(startSequence(graph, vocabSize), prompt),
      }));
      for (let step = 0; step < 12; step++) {
        const feeds = players.map(({ state }) => ({ uniforms: uniformsOf(state), inputs: featureInputs(state) }));
        players.forEach(({ sequence }, i) => {
          context.setUniforms(sequence, feeds[i]!.uniforms);
          feeds[i]!.inputs.forEach((values, k) => context.setInput(sequence, k + 1, values));
        });
        const outputs = await context.decode(batchOf(...players));
        players.forEach((player, i) => {
          const { sampled, states } = placed.finish(outputs[i]!, feeds[i]!.uniforms, feeds[i]!.inputs);
          player.state = acceptToken(player.state, sampled![0]!, states ?? new Float32Array());
          player.at += player.tokens.length;
          player.tokens = sampled!;
          tokens.push(sampled![0]!);
        });
      }
      if (placed.split) expect(context.stats().readbackBytes).toBe(2 * placed.split.bytes);
      context.dispose();
      return tokens;
    };
    expect(await generate([bad])).toEqual(await generate([]));
  });
});

test("a tapped node outside the graph is refused", () => {
  const { graph } = compilePipeline("greedy()");
  const { Graph: NativeGraph } = loadBinding();
  expect(() => new NativeGraph(encodeWire(graph, [99]))).toThrow(/a tapped node from 0 to/);
});

/**
 * CUDA replays a recorded graph as long as no node's bytes change. Per-token values (uniforms, draws, states, features) must
 * therefore be data, never an attribute, a name or a flag: every node of the model's graph is compared with the previous
 * token's, as in ggml's CUDA backend.
 */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { compilePipeline } from "../../runtime/chain/chain.js";
import type { NativeContext, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  startSequence,
  uniformsOf,
  withUniforms,
} from "../../runtime/sequence/sequence.js";
import { compile, type Chain } from "../../runtime/chain/chain.js";
import { batchOf } from "./batches.js";
import { DEMO_MODEL } from "../model/demo.js";
import { nativeGraph } from "./graphs.js";

let model: NativeModel;
beforeAll(async () => void (model = await loadBinding().loadModel(DEMO_MODEL, { gpuLayers: 0 })));
afterAll(() => model.dispose());

type Nodes = ReturnType<NonNullable<NativeContext["graphNodes"]>>;

/** Names of the nodes with different bytes. */
function changes(before: Nodes, after: Nodes): string[] {
  if (before.length !== after.length) return [`${before.length} nodes became ${after.length}`];
  return after.filter(({ bytes }, i) => Buffer.compare(bytes, before[i]!.bytes) !== 0).map(({ name }) => name);
}

const uniform = compile(`
import { penalties, top_k, top_p, temp, dist } from "std"
chain steered(t: f32 >= 0 = 0.8, p: f32 = 0.9) = penalties(64, 1.3, 0.2, 0.1) |> top_k(40) |> top_p(p) |> temp(t) |> dist(1)
`);

/** Two sequences generate; the nodes after each token. `steer` gives the uniforms of a step. */
async function generate(
  chain: Chain,
  count: number,
  steer: (step: number) => Record<string, number> = () => ({}),
  bundles = true,
): Promise<{ nodes: Nodes[]; builds: number[] }> {
  const { graph } = chain;
  const native = nativeGraph(graph);
  const context = await model.createContext({ contextSize: 512, sequences: 2, bundles, chains: [native, native] });
  const prompt = model.tokenize("In the beginning", true, false);
  const players = [0, 1].map((sequence) => ({
    sequence,
    at: 0,
    tokens: prompt,
    state: acceptPrompt(startSequence(graph, model.info.vocabSize), prompt),
  }));
  const nodes: Nodes[] = [];
  const builds: number[] = [];
  for (let step = 0; step < count; step++) {
    for (const player of players) {
      player.state = withUniforms(player.state, steer(step));
      context.setUniforms(player.sequence, uniformsOf(player.state));
      featureInputs(player.state).forEach((values, i) => context.setInput(player.sequence, i + 1, values));
    }
    const outputs = await context.decode(batchOf(...players));
    players.forEach((player, i) => {
      const { sampled, states } = outputs[i]!;
      player.state = acceptToken(player.state, sampled![0]!, states ?? new Float32Array());
      player.at += player.tokens.length;
      player.tokens = sampled!;
    });
    nodes.push(context.graphNodes!());
    builds.push(context.stats().graphBuilds);
  }
  context.dispose();
  return { nodes, builds };
}

test.each([
  ["uniforms and features", uniform],
  ["states", compilePipeline("temp(0.9) |> mirostat_v2(5, 0.1, 7)")],
  ["several draws", compilePipeline("typical(0.9) |> xtc(0.5, 0.05, seed: 3) |> dist(4)")],
] as const)("no node changes from token to token: %s", async (_, chain) => {
  const steer = (step: number): Record<string, number> =>
    chain === uniform ? { t: 0.5 + step / 20, p: 0.95 - step / 50 } : {};
  const { nodes, builds } = await generate(chain, 20, steer);
  expect(nodes[2]!.length).toBeGreaterThan(50);
  // the first build is for the prompt, the second for single tokens
  for (let step = 2; step < nodes.length; step++) {
    expect(builds[step]).toBe(builds[2]);
    expect([step, changes(nodes[step - 1]!, nodes[step]!)]).toEqual([step, []]);
  }
});

test("the comparison sees a constant in an attribute", async () => {
  const at = async (p: number): Promise<Nodes> =>
    // over few rows, which no pass of the CPU's own takes; an attribute of a bundle is an address
    (await generate(compilePipeline(`top_k(40) |> min_p(${p}) |> dist(1)`), 3, undefined, false)).nodes[2]!;
  const [low, high, again] = [await at(0.3), await at(0.5), await at(0.5)];
  // addresses differ between contexts, attributes only with the constant
  const attributes = (nodes: Nodes): string[] => nodes.map(({ name, bytes }) => `${name} ${opParams(bytes)}`);
  expect(attributes(high)).toEqual(attributes(again));
  const differing = attributes(low).filter((text, i) => text !== attributes(high)[i]);
  expect(differing.length).toBeGreaterThan(0);
  expect(changes(low, high).length).toBeGreaterThanOrEqual(differing.length);
});

test("the comparison sees one changed byte", async () => {
  const { nodes } = await generate(compilePipeline("greedy()"), 3);
  const last = nodes.at(-1)!;
  const spoiled = last.map(({ name, bytes }, i) => ({
    name,
    bytes: i === 3 ? bytes.map((b, k) => (k === 90 ? b ^ 1 : b)) : bytes,
  }));
  expect(changes(last, spoiled)).toEqual([last[3]!.name]);
});

/** `op` and `op_params` of ggml_tensor: after type (4, padded to 8), buffer (8), ne and nb (4 x 8 each). */
const opParams = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(80, 80 + 4 + 64)).toString("hex");

/**
 * Whole-model generation on Vulkan. With quantised weights and half-precision shaders, Vulkan's logits differ from the CPU's, and
 * so do the tokens: here the model has f32 weights, and Vulkan computes in f32.
 */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadModel } from "../../runtime/models/model.js";
import { EXACT, writeExactModel } from "../model/demo.js";
import { bansEnd, expectSameText, picksNearOf } from "../model/ties.js";
import type { LlamaSampler } from "../native/oracle.js";
import { ENVIRONMENT, node, vulkanTest } from "./vulkan.js";

/** With the token that begins a text, a prompt of one. */
const PROMPT = "";
const CHAINS: readonly (readonly [string, readonly LlamaSampler[]])[] = [
  ["greedy()", [{ name: "greedy" }]],
  [
    "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
    [
      { name: "top_k", k: 40 },
      { name: "top_p", p: 0.95, min_keep: 0 },
      { name: "min_p", p: 0.05, min_keep: 0 },
      { name: "temp", t: 0.8 },
      { name: "dist", seed: 42 },
    ],
  ],
  [
    "min_p(0.1) |> temp(0.6) |> dist(3)",
    [
      { name: "min_p", p: 0.1, min_keep: 0 },
      { name: "temp", t: 0.6 },
      { name: "dist", seed: 3 },
    ],
  ],
  [
    "temp(0.8) |> mirostat_v2(3, 0.1, 5)",
    [
      { name: "temp", t: 0.8 },
      { name: "mirostat_v2", tau: 3, eta: 0.1, seed: 5 },
    ],
  ],
];

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "ggsl-vulkan-"))));
afterAll(() => rmSync(folder, { recursive: true }));

interface Report {
  readonly backend: string;
  readonly device: string;
  readonly found: readonly {
    readonly chain: string;
    readonly graph: readonly number[];
    readonly host: readonly number[];
    readonly cpu: readonly number[];
    readonly devices: readonly string[];
  }[];
}

vulkanTest("the same seed gives the same tokens on Vulkan and on the CPU, and in the graph as behind it", async () => {
  const path = writeExactModel(folder);
  using model = await loadModel(path, { backend: "cpu" });
  Object.assign(ENVIRONMENT, { GGML_VK_DISABLE_F16: "1" });
  const args = [path, JSON.stringify(EXACT), PROMPT, ...CHAINS.map(([stages]) => stages)];
  const { backend, device, found } = JSON.parse(node("test/vulkan/model.mjs", ...args)) as Report;
  expect([backend, device]).toEqual(["vulkan", "Vulkan0"]);
  for (const [i, [chain, samplers]] of CHAINS.entries()) {
    const { graph, host, cpu, devices } = found[i]!;
    expect([chain, found[i]!.chain, graph.length, devices]).toEqual([chain, chain, 16, ["Vulkan0"]]);
    const text = { model: path, isExact: true, prompt: PROMPT, samplers: [bansEnd(model), ...samplers] };
    for (const other of [host, cpu]) expectSameText(other, graph, picksNearOf(model, text));
  }
});

/**
 * Whole-model generation on Vulkan. With quantised weights and half-precision shaders, Vulkan's logits differ from the CPU's, and
 * so do the tokens: here the model has f32 weights, and Vulkan computes in f32.
 */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadOracle } from "../native/oracle.js";
import { ENVIRONMENT, node, vulkanTest } from "./vulkan.js";

const CHAINS = [
  "greedy()",
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "min_p(0.1) |> temp(0.6) |> dist(3)",
  "temp(0.8) |> mirostat_v2(3, 0.1, 5)",
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

vulkanTest("a seed gives the same tokens on Vulkan and the CPU, with the chain in the graph or on the host", () => {
  const model = join(folder, "f32.gguf");
  loadOracle().rewriteModel("examples/model/demo-q8_0.gguf", model, {}, true);
  Object.assign(ENVIRONMENT, { GGML_VK_DISABLE_F16: "1" });
  const { backend, device, found } = JSON.parse(node("test/vulkan/model.mjs", model, ...CHAINS)) as Report;
  expect([backend, device]).toEqual(["vulkan", "Vulkan0"]);
  expect(found.map(({ chain }) => chain)).toEqual(CHAINS);
  for (const { chain, graph, host, cpu, devices } of found) {
    expect(graph.length).toBe(16);
    expect([chain, devices]).toEqual([chain, ["Vulkan0"]]);
    expect([chain, host]).toEqual([chain, graph]);
    expect([chain, cpu]).toEqual([chain, graph]);
  }
});

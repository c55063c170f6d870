/** Chains that read the logits of another sequence, on Vulkan: as in test/e2e/guides.test.ts, with weights and shaders of f32. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadModel, type Model } from "../../runtime/model.js";
import { EXACT, writeExactModel } from "../model/demo.js";
import { contrast, expectGuided, guidance, guidedText, type Combine } from "../model/guides.js";
import { ENVIRONMENT, node, vulkanTest } from "./vulkan.js";

let folder: string;
let path: string;
let model: Model;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-vulkan-guides-"));
  path = writeExactModel(folder);
  model = await loadModel(path, { ...EXACT, backend: "cpu" });
});
afterAll(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

interface Report {
  readonly backend: string;
  readonly found: readonly {
    readonly tokens: readonly number[];
    readonly devices: readonly string[];
    readonly readbackBytes: number;
  }[];
}

async function compare(count: number, stages: string, name: string, combine: Combine): Promise<void> {
  Object.assign(ENVIRONMENT, { GGML_VK_DISABLE_F16: "1" });
  const pairs = Array.from({ length: count }, (_, i) => [[100 + 7 * i], [300 + 11 * i]] as const);
  const args = [path, JSON.stringify(EXACT), stages, name, JSON.stringify(pairs)];
  const { backend, found } = JSON.parse(node("test/vulkan/guides.mjs", ...args)) as Report;
  expect(backend).toBe("vulkan");
  let certain = 0;
  for (const [i, [prompt, guide]] of pairs.entries()) {
    const { tokens, devices, readbackBytes } = found[i]!;
    expect([devices, readbackBytes]).toEqual([["Vulkan0"], 4 * count]);
    const wanted = await guidedText(model, [Int32Array.from(prompt), Int32Array.from(guide)], combine, 8);
    certain += expectGuided(tokens, wanted);
  }
  expect(certain).toBeGreaterThan(4 * count);
}

/** lavapipe compiles the shaders anew in each process, which takes minutes on a busy machine. */
const SECONDS = 1200;

for (const count of [1, 4, 8])
  vulkanTest(
    `${count} generations at once on Vulkan pick what combined logits of the CPU give`,
    () => compare(count, "cfg(2.5) |> greedy()", "negative", guidance(2.5)),
    SECONDS,
  );

vulkanTest(
  "contrastive decoding on Vulkan",
  () => compare(2, "contrastive(0.05, 1.5) |> greedy()", "amateur", contrast(0.05, 1.5)),
  SECONDS,
);

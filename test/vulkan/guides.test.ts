/** Chains that read the logits of another sequence, on Vulkan: as in test/e2e/guides.test.ts, with weights and shaders of f32. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadModel, type Model } from "../../runtime/models/model.js";
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

/** What one generation wrote. */
interface Found {
  readonly tokens: readonly number[];
  readonly devices: readonly string[];
  readonly readbackBytes: number;
}

interface Case {
  readonly title: string;
  readonly count: number;
  readonly stages: string;
  /** The guide's. */
  readonly name: string;
  readonly combine: Combine;
}

/** Each number of sequences needs shaders of its own: two pairs, or all numbers with `GGSL_WHOLE=1`. */
const isWhole = process.env["GGSL_WHOLE"] === "1";

const CASES: readonly Case[] = [
  ...(isWhole ? [1, 2, 4, 8] : [2]).map((count) => ({
    title: `${count} generations at once on Vulkan pick what combined logits of the CPU give`,
    count,
    stages: "cfg(2.5) |> greedy()",
    name: "negative",
    combine: guidance(2.5),
  })),
  {
    title: "contrastive decoding on Vulkan",
    count: 2,
    stages: "contrastive(0.05, 1.5) |> greedy()",
    name: "amateur",
    combine: contrast(0.05, 1.5),
  },
];
const pairsOf = ({ count }: Case): (readonly [number[], number[]])[] =>
  Array.from({ length: count }, (_, i) => [[100 + 7 * i], [300 + 11 * i]]);

let reports: readonly (readonly Found[])[] | undefined;
/** Runs all cases in one process, once. */
function runCases(): readonly (readonly Found[])[] {
  if (reports) return reports;
  Object.assign(ENVIRONMENT, { GGML_VK_DISABLE_F16: "1" });
  const cases = CASES.map((one) => ({ stages: one.stages, name: one.name, pairs: pairsOf(one) }));
  const text = node("test/vulkan/guides.mjs", path, JSON.stringify(EXACT), JSON.stringify(cases));
  const { backend, found } = JSON.parse(text) as { backend: string; found: Found[][] };
  expect(backend).toBe("vulkan");
  return (reports = found);
}

/** lavapipe compiles each shader when it is used first, which takes minutes on a busy machine. */
const SECONDS = 1200;

for (const [index, one] of CASES.entries())
  vulkanTest(
    one.title,
    async () => {
      const found = runCases()[index]!;
      let certain = 0;
      for (const [i, [prompt, guide]] of pairsOf(one).entries()) {
        const { tokens, devices, readbackBytes } = found[i]!;
        expect([devices, readbackBytes]).toEqual([["Vulkan0"], 4 * one.count]);
        const wanted = await guidedText(model, [Int32Array.from(prompt), Int32Array.from(guide)], one.combine, 8);
        certain += expectGuided(tokens, wanted);
      }
      expect(certain).toBeGreaterThan(4 * one.count);
    },
    SECONDS,
  );

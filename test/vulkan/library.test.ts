/** Drafts in libggsl on Vulkan: as in test/c/drafts.test.ts, the model and its chains on the device. */
import { expect } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { KNOWN, runDrafts, type DraftedText } from "../c/drafts.js";
import { writeExactModel } from "../model/file.js";
import { vulkanTest } from "./vulkan.js";

const COUNT = 8;
const BACKEND = "node_modules/@node-llama-cpp/linux-x64-vulkan/bins/linux-x64-vulkan/libggml-vulkan.so";

vulkanTest("texts with several outputs of a sequence in a batch are those with one", () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-vulkan-drafts-"));
  try {
    const args = ["texts", writeExactModel(folder), `Vulkan0=${resolve(BACKEND)}`, "2", String(COUNT)];
    const texts = JSON.parse(runDrafts(folder, args, [KNOWN["repetition"]!])) as DraftedText[];
    const [{ inGraph, plainInGraph, decodes, saved }] = texts as [DraftedText];
    expect({ inGraph, plainInGraph }).toEqual({ inGraph: COUNT, plainInGraph: COUNT });
    expect(decodes).toBeLessThan(COUNT - 1);
    expect(saved[0]).toEqual(saved[1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Sets of tokens, texts, measures and the model's own numbers on Vulkan, on plain logits and with a model. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadVocabulary } from "../../runtime/models/model.js";
import { EXACT, writeExactModel } from "../model/demo.js";
import * as parts from "../model/parts.js";
import { node, vulkanTest } from "./vulkan.js";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "ggsl-vulkan-parts-"))));
afterAll(() => rmSync(folder, { recursive: true }));

vulkanTest(
  "sets, texts, measures and raw columns are as computed here, and no column is uploaded for a token",
  async () => {
    const path = writeExactModel(folder);
    const given = JSON.stringify({ ...parts, settings: EXACT });
    const found = JSON.parse(node("test/vulkan/parts.mjs", "vulkan", path, given)) as {
      readonly steps: readonly parts.Step[];
      readonly report: parts.Report;
      readonly devices: readonly string[];
      readonly reads: number;
    };
    parts.expectColumns(found.steps);
    const { pieces, texts = pieces, classes } = await loadVocabulary(path);
    parts.expectGenerated(found.report, texts, classes!.end);
    expect(found.devices).toEqual(["Vulkan0"]);
    // the token and all measures at once
    expect(found.reads).toBe(1);
  },
);

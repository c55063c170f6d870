/** Sets of tokens, texts, measures and the model's own numbers in WebAssembly, on plain logits and with a model. */
import { expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { loadModelFromBytes, loadVocabulary } from "../../runtime/models/model.js";
import { writeExactModel } from "../model/file.js";
import * as parts from "../model/parts.js";
import { llamaTest } from "./llamaTest.js";

test.each(["reference", "cpu", "wasm"] as const)("on plain logits, on %s", (backend) => {
  const feed = { inputs: { source: parts.SOURCE } };
  const { rowsGraph } = compile(parts.COLUMNS);
  using evaluator = createEvaluator(rowsGraph, parts.LOGITS.length, { backend, feed });
  const steps = parts.LISTS.map((listed) => {
    evaluator.setUniforms({ listed });
    return evaluator.evaluate(parts.LOGITS) as parts.Step;
  });
  parts.expectColumns(steps);
});

llamaTest("with a model: sets, measures, and no column that is uploaded for a token", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-wasm-parts-"));
  const path = writeExactModel(folder);
  using model = await loadModelFromBytes(readFileSync(path), { contextSize: 128 });
  const options = { chain: compile(parts.GENERATED), maxTokens: parts.COUNT };
  const generation = model.generate(parts.PROMPT, options);
  const [tokens, uploads]: [number[], number[]] = [[], []];
  const measures: Readonly<Record<string, number>>[] = [];
  for await (const piece of generation) {
    tokens.push(piece.token);
    measures.push(piece.measures!);
    uploads.push(generation.stats().uploadBytes);
  }
  const second = model.generate(parts.PROMPT, options);
  const changed: number[] = [];
  for await (const { token } of second) {
    changed.push(token);
    second.setUniforms({ banned: [token] });
  }
  const { columnBytes } = generation.stats();
  const { pieces, texts = pieces, classes } = await loadVocabulary(path);
  parts.expectGenerated({ tokens, measures, uploads, columnBytes, changed }, texts, classes!.end);
  rmSync(folder, { recursive: true });
  expect(model.backend).toBe("wasm");
});

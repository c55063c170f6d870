/** Specs of the first version of the format load, and give what the same program gives now. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readSpec } from "../../compiler/graph/json.js";
import { chainOf, compile } from "../../runtime/chain/chain.js";
import { createEvaluator, type Evaluation } from "../../runtime/chain/evaluate.js";

const FOLDER = join(import.meta.dirname, "version1");
const PROGRAM = readFileSync(join(FOLDER, "chains.ggsl"), "utf8");
const LOGITS = [1, -2, 3.5, 4, 0.25, 2, 3.75, -1];

const stepsOf = (chain: ReturnType<typeof chainOf>): Evaluation[] => {
  const feed = { bias: new Map([[2, 1]]), inputs: { wanted: new Map([[5, 2]]) } };
  using evaluator = createEvaluator(chain.rowsGraph, LOGITS.length, {
    backend: "reference",
    history: [1, 2, 3, 2],
    feed,
  });
  return Array.from({ length: 12 }, () => {
    const evaluation = evaluator.evaluate(LOGITS);
    evaluator.accept();
    return evaluation;
  });
};

test.each(readdirSync(FOLDER).filter((name) => name.endsWith(".json")))("%s", (name) => {
  const text = readFileSync(join(FOLDER, name), "utf8");
  expect(JSON.parse(text)).toMatchObject({ ggsl: 1 });
  const found = stepsOf(chainOf(readSpec(text)));
  const { graph } = compile(PROGRAM, { file: "chains.ggsl", chain: name.replace(".graph.json", "") });
  const wanted = stepsOf(chainOf(graph));
  expect(found.map((s) => s.token)).toEqual(wanted.map((s) => s.token));
  expect(new Set(found.map((s) => s.token)).size).toBeGreaterThan(1);
});

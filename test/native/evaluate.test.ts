import { expect, test } from "@jest/globals";
import { OP_NAMES } from "../../compiler/graph/ops.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { graphOf, GREEDY, logitsNode, nativeGraph, node, RANKED } from "./graphs.js";

const NO_UNIFORMS = new Float32Array(0);

const codeOf = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return "no error";
};

test("the C++ op table equals compiler/graph/ops.ts", () => {
  expect(loadBinding().opNames()).toEqual(OP_NAMES);
});

test("several rows are evaluated at once", () => {
  const evaluator = new (loadBinding().Evaluator)(nativeGraph(GREEDY), { vocabSize: 4, rows: 2 });
  const logits = Float32Array.of(0, 3, 1, 2, 9, 3, 1, 2);
  expect([...evaluator.evaluate({ logits, uniforms: NO_UNIFORMS }).sampled!]).toEqual([1, 0]);
  expect(evaluator.nodesWithoutViews).toBe(1);
});

test("uniforms and states belong to their row", () => {
  const evaluator = new (loadBinding().Evaluator)(nativeGraph(RANKED), { vocabSize: 4, rows: 2 });
  const logits = Float32Array.of(0, 3, 1, 2, 9, 3, 1, 2);
  const { sampled, states } = evaluator.evaluate({ logits, uniforms: Float32Array.of(1, 3) });
  expect([...sampled!]).toEqual([3, 2]);
  expect([...states!]).toEqual([2, 4]);
});

test("bad input is an error with a code", () => {
  const { Graph, Evaluator } = loadBinding();
  const graph = nativeGraph(GREEDY);
  const evaluator = new Evaluator(graph, { vocabSize: 2 });
  const evaluate = (...logits: number[]) =>
    codeOf(() => evaluator.evaluate({ logits: Float32Array.from(logits), uniforms: NO_UNIFORMS }));
  expect(evaluate(1, 2)).toBe("no error");
  expect(evaluate(1)).toBe("INVALID_ARGUMENT");
  expect(evaluate(1, NaN)).toBe("INVALID_LOGITS");
  expect(evaluate(1, Infinity)).toBe("INVALID_LOGITS");
  expect(codeOf(() => new Graph(Int32Array.of(1, 2, 3)))).toBe("INVALID_GRAPH");
  expect(codeOf(() => new Evaluator({} as never, { vocabSize: 2 }))).toBe("INVALID_ARGUMENT");
  expect(codeOf(() => new Evaluator(graph, { vocabSize: 0 }))).toBe("INVALID_ARGUMENT");
  expect(codeOf(() => new Evaluator(graph, { vocabSize: 2, device: "abacus" }))).toBe("NO_DEVICE");
  expect(
    codeOf(
      () =>
        new Evaluator(
          nativeGraph(graphOf([logitsNode, node("view", [0], { offset: 1, count: 2 }, "f32", 2)], { logits: 1 })),
          { vocabSize: 2 },
        ),
    ),
  ).toBe("INVALID_GRAPH");
  evaluator.dispose();
  evaluator.dispose();
  expect(evaluate(1, 2)).toBe("DISPOSED");
});

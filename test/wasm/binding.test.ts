/** Evaluators in WebAssembly: the same errors as native ones, memory growth, and recovery after a trap. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { OP_NAMES } from "../../compiler/graph/ops.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import type { NativeEvaluator } from "../../runtime/backends/native/binding.js";
import { loadedWasm, loadWasm } from "../../runtime/backends/wasm/loader.js";
import { graphOf, GREEDY, logitsNode, node, RANKED, TRUNCATED } from "../native/graphs.js";

const NO_UNIFORMS = new Float32Array(0);
const wasm = loadedWasm();
const open = (graph: Graph, vocabSize: number, rows = 1): NativeEvaluator =>
  new wasm.Evaluator(new wasm.Graph(encodeWire(graph)), { vocabSize, rows });

function errorOf(action: () => unknown): { code?: unknown; message?: string } {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  return {};
}

test("the op table equals compiler/graph/ops.ts", () => {
  expect(wasm.opNames()).toEqual(OP_NAMES);
});

test("rows, uniforms and states equal the native runtime's", () => {
  const values = { logits: Float32Array.of(0, 3, 1, 2, 9, 3, 1, 2), uniforms: Float32Array.of(1, 3) };
  const native = loadBinding();
  const expected = new native.Evaluator(new native.Graph(encodeWire(RANKED)), {
    vocabSize: 4,
    rows: 2,
    bundles: false,
  });
  const found = open(RANKED, 4, 2);
  expect(found.evaluate(values)).toEqual(expected.evaluate(values));
  expect([found.nodes, found.nodesWithoutViews]).toEqual([expected.nodes, expected.nodesWithoutViews]);
});

test("a graph of many ops returns all outputs", () => {
  const logits = Float32Array.from({ length: 40 }, (_, i) => Math.sin(i * 7));
  const values = { logits, uniforms: Float32Array.of(0.4) };
  const native = loadBinding();
  const expected = new native.Evaluator(new native.Graph(encodeWire(TRUNCATED)), { vocabSize: 40 }).evaluate(values);
  const found = open(TRUNCATED, 40).evaluate(values);
  expect(Object.keys(found).sort()).toEqual(["candidates", "logits", "probs", "sampled", "states"]);
  expect([found.sampled, found.candidates, found.logits]).toEqual([
    expected.sampled,
    expected.candidates,
    expected.logits,
  ]);
  found.probs!.forEach((p, i) => expect(p).toBeCloseTo(expected.probs![i]!, 6));
});

test("bad input gives exactly the native errors", () => {
  const native = loadBinding();
  const both = (action: (binding: Pick<typeof native, "Graph" | "Evaluator">) => unknown): unknown => {
    const [expected, found] = [native, wasm].map((binding) => errorOf(() => action(binding)));
    expect([found!.code, found!.message]).toEqual([expected!.code, expected!.message]);
    return found!.code;
  };
  const words = encodeWire(GREEDY);
  const view = graphOf([logitsNode, node("view", [0], { offset: 1, count: 2 }, "f32", 2)], { logits: 1 });
  const evaluate =
    (...logits: number[]) =>
    ({ Graph, Evaluator }: Pick<typeof native, "Graph" | "Evaluator">) =>
      new Evaluator(new Graph(words), { vocabSize: 2 }).evaluate({
        logits: Float32Array.from(logits),
        uniforms: NO_UNIFORMS,
      });
  expect(both(evaluate(1))).toBe("INVALID_ARGUMENT");
  expect(both(evaluate(1, NaN))).toBe("INVALID_LOGITS");
  expect(both(evaluate(1, Infinity))).toBe("INVALID_LOGITS");
  expect(both(({ Graph }) => new Graph(Int32Array.of(1, 2, 3)))).toBe("INVALID_GRAPH");
  expect(both(({ Graph }) => new Graph(new Int32Array(0)))).toBe("INVALID_GRAPH");
  expect(both(({ Graph }) => new Graph("words" as never))).toBe("INVALID_ARGUMENT");
  expect(both(({ Evaluator }) => new Evaluator({} as never, { vocabSize: 2 }))).toBe("INVALID_ARGUMENT");
  expect(both(({ Graph, Evaluator }) => new Evaluator(new Graph(words), { vocabSize: 0 }))).toBe("INVALID_ARGUMENT");
  expect(both(({ Graph, Evaluator }) => new Evaluator(new Graph(words), { vocabSize: 1.5 }))).toBe("INVALID_ARGUMENT");
  expect(both(({ Graph, Evaluator }) => new Evaluator(new Graph(encodeWire(view)), { vocabSize: 2 }))).toBe(
    "INVALID_GRAPH",
  );
  expect(
    both(({ Graph, Evaluator }) => {
      const evaluator = new Evaluator(new Graph(words), { vocabSize: 2 });
      evaluator.dispose();
      evaluator.dispose();
      evaluator.evaluate({ logits: Float32Array.of(1, 2), uniforms: NO_UNIFORMS });
    }),
  ).toBe("DISPOSED");
});

test("open evaluators survive memory growth", () => {
  const small = open(GREEDY, 3);
  const pick = () => small.evaluate({ logits: Float32Array.of(0, 2, 1), uniforms: NO_UNIFORMS }).sampled![0];
  expect(pick()).toBe(1);
  const large = open(GREEDY, 1 << 24);
  const logits = new Float32Array(1 << 24);
  logits[9_999_999] = 1;
  expect(large.evaluate({ logits, uniforms: NO_UNIFORMS }).sampled![0]).toBe(9_999_999);
  expect(pick()).toBe(1);
  large.dispose();
  small.dispose();
  // memory never shrinks, so this uses another instance
  expect(open(GREEDY, 3).evaluate({ logits: Float32Array.of(3, 2, 1), uniforms: NO_UNIFORMS }).sampled![0]).toBe(0);
});

test("a graph that needs too much memory is an error, and the next one runs", () => {
  const exp = (operand: number) => node("exp", [operand]);
  const nodes = [logitsNode, ...Array.from({ length: 16 }, (_, i) => exp(i))];
  const { code, message } = errorOf(() => open(graphOf(nodes, { logits: 16 }), 1 << 24));
  expect(code).toBe("INVALID_GRAPH");
  expect(message).toMatch(/needs \d+ numbers for 1 rows; at most 67108864 are allowed/);
  expect(open(GREEDY, 2).evaluate({ logits: Float32Array.of(0, 1), uniforms: NO_UNIFORMS }).sampled![0]).toBe(1);
});

test("after a trap the evaluators of that instance are gone, and new ones run", () => {
  const values = { logits: Float32Array.of(0, 1), uniforms: NO_UNIFORMS };
  const [bystander, broken] = [open(GREEDY, 2), open(GREEDY, 2)];
  // no input causes a trap, so the address of its memory is corrupted
  const { session } = broken as unknown as { session: { at: number } };
  session.at = 0x7fff_fff0;
  const trap = errorOf(() => broken.evaluate(values));
  expect([trap.code, trap.message]).toEqual(["COMPUTE_FAILED", "memory access out of bounds"]);
  const gone = errorOf(() => bystander.evaluate(values));
  expect(gone.code).toBe("DISPOSED");
  expect(gone.message).toContain("memory access out of bounds");
  bystander.dispose();
  expect(open(GREEDY, 2).evaluate(values).sampled![0]).toBe(1);
});

test("an invalid module, or one with other exports, is an error that says how to build one", async () => {
  await expect(loadWasm(Uint8Array.of(1, 2, 3))).rejects.toThrow("npm run build:wasm");
  // an empty module is valid WebAssembly
  await expect(loadWasm(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))).rejects.toThrow("npm run build:wasm");
  await expect(loadWasm("file:///nowhere.wasm")).rejects.toThrow("npm run build:wasm");
  await expect(loadWasm(readFileSync("runtime/wasm/ggsl.wasm"))).resolves.toBeUndefined();
});

/** The options of ONNX files, what they contain, and what is refused. */
import { describe, expect, test } from "@jest/globals";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { emitOnnx, METADATA } from "../../compiler/emit/onnx/emit.js";
import { LEAST_OPSET, MOST_OPSET, type OnnxOptions } from "../../compiler/emit/onnx/options.js";
import { surfaceOf } from "../../compiler/emit/surface.js";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { TYPICAL } from "./chains.js";
import { expectSame } from "./compare.js";
import { openOnnx } from "./ort.js";

const V = 2000;
const OPSETS = Array.from({ length: MOST_OPSET - LEAST_OPSET + 1 }, (_, i) => LEAST_OPSET + i);

test.each(OPSETS)("opset %d", (opset) => {
  for (const { graph } of TYPICAL.slice(2)) {
    using onnx = openOnnx(graph, V, { opset });
    expectSame(graph, { vocabSize: V, rows: 2, steps: 1 }, onnx.run);
  }
});

describe.each([true, false])("sums in f32, with a model for any vocabulary: %s", (isSymbolic) => {
  test.each(TYPICAL)("$name", ({ graph }) => {
    using onnx = openOnnx(graph, V, { sums: "f32", isSymbolic });
    expectSame(graph, { vocabSize: V, rows: 2, steps: 1, seed: 3 }, onnx.run);
  });
});

test("a model for any vocabulary serves small ones", () => {
  const { rowsGraph } = compilePipeline("top_k(40) |> min_p(0.05) |> dist(1)");
  for (const vocabSize of [1, 2, 39, 40, 41, 257]) {
    using onnx = openOnnx(rowsGraph, vocabSize, { isSymbolic: true });
    expectSame(rowsGraph, { vocabSize, rows: 3, steps: 2 }, onnx.run);
  }
});

test.each([
  [{ vocab: 0 }, "`vocab` must be an integer from 1 to 16777216, found 0"],
  [{ vocab: 1.5 }, "`vocab` must be an integer from 1 to 16777216, found 1.5"],
  [{ sums: "f16" }, '`sums` must be one of f64, f32, found "f16"'],
  [{ opset: 14 }, "`opset` must be an integer from 15 to 21, found 14"],
  [{ opset: 22 }, "`opset` must be an integer from 15 to 21, found 22"],
])("%j is refused", (options, message) => {
  expect(() => emitOnnx(TYPICAL[0]!.graph, options as OnnxOptions)).toThrow(message);
});

test("a host tail is refused: the error names each stage and its place", () => {
  const { graph } = compile(`import { top_k, dist } from "std"
chain c = top_k(40)
  |> host temp(0.8)
  |> host dist(1)
`);
  expect(() => emitOnnx(graph)).toThrow(
    expect.objectContaining({
      code: "NOT_EMITTED",
      faults: [
        expect.stringMatching(/^program\.ggsl:3:6: the stage `host temp\(0\.8\)` runs on llama\.cpp's CPU samplers/),
        expect.stringMatching(/^program\.ggsl:4:6: the stage `host dist\(1\)` runs on/),
      ],
    }),
  );
});

describe("the interface", () => {
  const chain = compile(`import { penalties, min_p, dist } from "std"
input logits: f32
input uniforms: bool sparse(4) = 0
input sampled: f32
input next_state_0: f32
sampler s(t: f32 = 1) { state tally: i32 = 0 logit += logits + (uniforms ? 1 : 0) + sampled * t + next_state_0 + tally after pick { tally += 1 } }
chain c(t: f32 = 1) = s(t: t) |> penalties() |> min_p(0.1) |> dist(3)`);
  const surface = surfaceOf(chain.graph);

  test("names of inputs differ, whatever a program calls its own", () => {
    const names = surface.inputs.map(({ name }) => name);
    expect(names[0]).toBe("logits");
    const results = [...surface.outputs, ...surface.scalars].map(({ name }) => name);
    expect(results).toEqual(["sampled", "next_state_0"]);
    expect(new Set([...names, ...results, "uniforms"]).size).toBe(names.length + 3);
    expect(names.filter((name) => !/^\w+$/.test(name))).toEqual([]);
  });

  test("constant uniforms are in the file, others are fed", () => {
    const fed = surface.fed.map((i) => chain.graph.uniforms[i]!.expr);
    expect(fed.filter((expr) => typeof expr === "number")).toEqual([]);
    expect(surface.uniforms).toHaveLength(chain.graph.uniforms.length);
    using onnx = openOnnx(chain.rowsGraph, V);
    expectSame(chain.rowsGraph, { vocabSize: V, rows: 2, steps: 3 }, onnx.run);
  });

  test("the metadata is what the host must know", () => {
    const spec = JSON.parse(metadataOf(emitOnnx(chain.graph))[METADATA]!) as Record<string, unknown[]>;
    expect(Object.keys(spec)).toEqual(
      expect.arrayContaining(["ggsl", "name", "params", "draws", "states", "uniforms", "inputs", "features"]),
    );
    expect(spec["uniforms"]).toHaveLength(surface.fed.length);
    expect(spec["inputs"]!.map((input) => (input as { name: string }).name)).toEqual(
      surface.inputs.map(({ name }) => name),
    );
    expect(spec["draws"]).toEqual(chain.graph.draws);
    expect(spec).not.toHaveProperty("nodes");
  });
});

/** The entries of field 14 of the model. */
function metadataOf(model: Uint8Array): Record<string, string> {
  const entries: Record<string, string> = {};
  const reader = new BinaryReader(model);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field !== 14) {
      reader.skip(type, field);
      continue;
    }
    const entry = new BinaryReader(reader.bytes());
    entry.tag();
    const key = entry.string();
    entry.tag();
    entries[key] = entry.string();
  }
  return entries;
}

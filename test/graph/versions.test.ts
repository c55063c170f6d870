/** The versions of spec files: which one is written, and which are read. */
import { expect, test } from "@jest/globals";
import { fromSpec, SpecError, writeSpec } from "../../compiler/graph/json.js";
import { compilePipeline } from "../../runtime/chain/chain.js";

type Json = Record<string, unknown>;

function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof SpecError) return error.faults.join("\n");
    throw error;
  }
  return "";
}

test("versions: a graph with nothing newer is written as version 2, earlier and later versions are read", () => {
  const { graph } = compilePipeline("top_k(2) |> greedy()");
  const written = JSON.parse(writeSpec(graph)) as Json;
  expect(written["ggsl"]).toBe(2);
  for (const ggsl of [1, 2, 3]) expect(fromSpec({ ...written, ggsl }).outputs).toEqual(graph.outputs);
  for (const ggsl of [0, 4, 2.5, "2"])
    expect(faultOf(() => fromSpec({ ...written, ggsl }))).toMatch(
      /spec\.ggsl: expected one of the versions 1, 2, 3, found/,
    );
});

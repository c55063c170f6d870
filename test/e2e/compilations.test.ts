/** A chain is lowered once, whatever is made of it: its token, its rows, texts with a seed, a comparison, a sampler of the server. */
import fs, { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import type { Chain } from "../../runtime/index.js";

let lowerings = 0;
const lowering = await import("../../compiler/lower/lower.js");
const lower: typeof lowering.lower = (...given) => {
  lowerings++;
  return lowering.lower(...given);
};
jest.unstable_mockModule("../../compiler/lower/lower.js", () => ({ ...lowering, lower }));
const { compile, compilePipeline } = await import("../../runtime/index.js");
const { seededChain } = await import("../../runtime/chain/chain.js");
const { compareChains } = await import("../../runtime/compare.js");
const { loadChains } = await import("../../cli/chain.js");
const { moduleChains } = await import("../../codegen/chains.js");
const { openProgram } = await import("../../playground/engine/program.js");
const { seededBy } = await import("../../server/engine/parameters.js");
const { compileJob } = await import("../../server/samplers/facts.js");
const { loadExactModel } = await import("../model/file.js");

const PROGRAM = 'import { three } from "./part.ggsl"\nimport { dist } from "std"\nchain c = three() |> dist()';
const PART = "sampler three() { sort  keep rank < 3 }";
const PIPELINE = "top_k(3) |> dist()";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-compilations-"));
  writeFileSync(join(folder, "program.ggsl"), PROGRAM);
  writeFileSync(join(folder, "part.ggsl"), PART);
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  lowerings = 0;
});

const compiled = (): Chain => compile(PROGRAM, { importer: () => ({ name: "part.ggsl", text: PART }) });

test("its rows are made once, when they are asked for", () => {
  const chain = compiled();
  expect(lowerings).toBe(1);
  const { rowsGraph } = chain;
  expect(rowsGraph.outputs).toMatchObject({ sampled: expect.any(Number), probs: expect.any(Number) });
  expect(chain.graph.outputs).toEqual({ sampled: expect.any(Number) });
  expect({ ...chain }.rowsGraph).toBe(rowsGraph);
  expect(lowerings).toBe(1);
});

test("the graph of a chain that picks no token is the one with its rows", () => {
  const chain = compilePipeline("top_k(3)");
  expect(chain.rowsGraph).toBe(chain.graph);
  const seeded = seededChain(chain, 7);
  expect(seeded.rowsGraph).toBe(seeded.graph);
});

test("with a seed", () => {
  const chain = compiled();
  const seeded = seededChain(chain, 7);
  expect(seeded.graph.draws).toMatchObject([{ seed: 7 }]);
  const { chain: second } = seededBy({ isOwn: true, seed: 3, chain, uniforms: {}, feed: {} })(1);
  expect(second.graph.draws).toMatchObject([{ seed: 4 }]);
  expect(seeded.rowsGraph.draws).toMatchObject([{ seed: 7 }]);
  expect(second.rowsGraph.draws).toMatchObject([{ seed: 4 }]);
  expect(lowerings).toBe(1);
});

test("texts with alternatives, plain logits, and a comparison", async () => {
  using model = await loadExactModel({ backend: "cpu", contextSize: 64 });
  const chain = compiled();
  for await (const { alternatives } of model.generate("In the", { chain, maxTokens: 3, alternatives: 3 }))
    expect(alternatives).toHaveLength(3);
  expect((await chain.evaluate([3, 1, 2, 0], { backend: "reference" })).candidates).toHaveLength(3);
  await compareChains(model, "In the", { chains: [{ name: "c", chain }], texts: 2, tokens: 3 });
  expect(lowerings).toBe(1);
});

test("of the command line, of modules and of the playground", () => {
  const file = join(folder, "program.ggsl");
  for (const chain of loadChains(file, undefined, { seed: 5 }, 3)) expect(chain.rowsGraph).toBeDefined();
  expect(lowerings).toBe(1);
  moduleChains({ name: file, text: `import { dist, top_k } from "std"\nchain c = ${PIPELINE}` });
  expect(lowerings).toBe(2);
  const program = openProgram({ kind: "pipeline", text: PIPELINE, statics: {}, seed: 1 });
  program.graph();
  program.graph({ outputs: ["candidates", "logits", "probs"] });
  expect(lowerings).toBe(3);
});

test("of the server, which sends one graph", () => {
  const file = join(folder, "program.ggsl");
  const text = fs.readFileSync(file, "utf8");
  const source = { form: "program", text, chain: undefined, constrained: false, own: { name: "own", file } } as const;
  const reply = compileJob({ source, vocabSize: 100, limits: {}, libraries: [] });
  expect(Object.keys(reply).sort()).toEqual(["facts", "graph", "kind"]);
  expect(JSON.parse((reply as { graph: string }).graph)).toMatchObject({ outputs: { sampled: expect.any(Number) } });
  expect(lowerings).toBe(1);
});

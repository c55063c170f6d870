/** A chain is compiled once for its texts, with a seed too; its graph with rows only when it is asked for. */
import fs, { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { compile, type Chain } from "../../runtime/index.js";
import { seededChain } from "../../runtime/chain/chain.js";
import { compareChains } from "../../runtime/compare.js";
import { loadChains } from "../../cli/chain.js";
import { seededBy } from "../../server/engine/parameters.js";
import { compileJob } from "../../server/samplers/facts.js";
import { loadExactModel } from "../model/file.js";

const PROGRAM = 'import { three } from "./part.ggsl"\nimport { dist } from "std"\nchain c = three() |> dist()';
const PART = "sampler three() { sort  keep rank < 3 }";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-compilations-"));
  writeFileSync(join(folder, "program.ggsl"), PROGRAM);
  writeFileSync(join(folder, "part.ggsl"), PART);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Each compilation reads the import once. */
function counted(): { readonly chain: Chain; readonly count: () => number } {
  let count = 0;
  const importer = () => {
    count++;
    return { name: "part.ggsl", text: PART };
  };
  return { chain: compile(PROGRAM, { importer }), count: () => count };
}

/** How often a function reads the file of the import. */
function reads(run: () => void): number {
  const open = jest.spyOn(fs, "openSync");
  try {
    run();
    return open.mock.calls.filter(([path]) => String(path).endsWith("part.ggsl")).length;
  } finally {
    open.mockRestore();
  }
}

test("with a seed", () => {
  const { chain, count } = counted();
  const seeded = seededChain(chain, 7);
  expect(seeded.graph.draws).toMatchObject([{ seed: 7 }]);
  const { chain: second } = seededBy({ isOwn: true, seed: 3, chain, uniforms: {}, feed: {} })(1);
  expect(second.graph.draws).toMatchObject([{ seed: 4 }]);
  expect(count()).toBe(1);
  expect(seeded.rowsGraph.draws).toMatchObject([{ seed: 7 }]);
  expect(second.rowsGraph.draws).toMatchObject([{ seed: 4 }]);
  expect(count()).toBe(2);
});

test("in a comparison", async () => {
  using model = await loadExactModel({ backend: "cpu", contextSize: 64 });
  const { chain, count } = counted();
  await compareChains(model, "In the", { chains: [{ name: "c", chain }], texts: 2, tokens: 3 });
  expect(count()).toBe(1);
});

test("of the command line, and of the server", () => {
  const file = join(folder, "program.ggsl");
  expect(reads(() => loadChains(file, undefined, { seed: 5 }, 3))).toBe(1);
  const source = {
    form: "program",
    text: fs.readFileSync(file, "utf8"),
    chain: undefined,
    constrained: false,
  } as const;
  const job = { source: { ...source, own: { name: "own", file } }, vocabSize: 100, limits: {} };
  expect(reads(() => expect(compileJob(job)).toMatchObject({ kind: "compiled" }))).toBe(1);
});

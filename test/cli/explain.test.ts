/** `ggsl explain --json` has the form of its schema, for all standard samplers and examples. */
import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { importerFor } from "../../cli/files.js";
import { parse } from "../../compiler/syntax/parse.js";
import { compile, compilePipeline } from "../../runtime/chain/chain.js";
import { explain } from "../../runtime/chain/explain.js";
import type { Explanation } from "../../runtime/chain/explainGraph.js";
import { ownSchema } from "./schemas.js";

const faults = ownSchema("explain");
const filesOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".ggsl"))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(`${folder}/${name}`, "utf8") }));

/** Members that were met at least once. */
const met = new Set<string>();
function check(explanation: Explanation): readonly unknown[] {
  const json = JSON.parse(JSON.stringify(explanation)) as Explanation;
  for (const { kind, doc } of json.interface) met.add(kind).add(doc === undefined ? "no doc" : "doc");
  for (const { device } of json.stages) met.add(device);
  return faults(json);
}

test.each(filesOf("compiler/std"))("the stages of the tests of $name", (source) => {
  const tests = parse(source).file.declarations.flatMap((d) => (d.kind === "test" ? d.clauses : []));
  const stages = tests.flatMap((clause) => (clause.kind === "run" ? [clause.stages] : []));
  expect(stages.length).toBeGreaterThan(0);
  const texts = new Set(stages.map((list) => source.text.slice(list[0]!.span.start, list.at(-1)!.span.end)));
  // the others differ in their arguments
  for (const text of [...texts].slice(0, 1))
    expect([text, check(explain(compilePipeline(text).graph, 1000))]).toEqual([text, []]);
});

test.each(filesOf("examples"))("the chains of $name", ({ name, text }) => {
  const chains = parse({ name, text }).file.declarations.flatMap((d) => (d.kind === "chain" ? [d.name.text] : []));
  for (const chain of chains) {
    const { graph } = compile(text, { file: name, chain, importer: importerFor(name) });
    expect([chain, check(explain(graph, 1000))]).toEqual([chain, []]);
  }
});

test("a worker: what its kind cannot run is said without it", () => {
  const { graph } = compilePipeline("top_k(40) |> temp(0.8) |> dist(1)");
  const onWorker = (server: string): Explanation => explain(graph, 32_000, { server });
  const devices = (e: Explanation): string[] => e.stages.map(({ device }) => device);
  expect(devices(onWorker("10.0.0.2:50052=vulkan"))).toEqual(Array(3).fill("10.0.0.2:50052"));
  const unknown = onWorker("10.0.0.2:50052");
  expect([devices(unknown), unknown.split?.ops]).toEqual([Array(3).fill("cpu"), expect.arrayContaining(["TOP_K"])]);
  expect(() => onWorker("10.0.0.2")).toThrow(/a worker must be HOST:PORT/);
  expect(() => explain(graph, 100, { server: "a:1=cuda", backend: "vulkan" })).toThrow(/give no `backend`/);
  expect(() => explain(graph, 32_000, { server: "a:1", strict: true })).toThrow(/strict: a:1 cannot run TOP_K/);
});

test("the programs above have every kind of part, and the schema accepts nothing else", () => {
  check(explain(compilePipeline("top_k(3) |> host dist()").graph, 100));
  const inputs = 'import { temp } from "std"\ninput near: f32\ninput source: tokens(8)\n';
  const stage =
    "sampler s() { logit += near * occurrences(8, in: source) }\nchain c(/// how warm\nt: f32 = 1) = s() |> temp(t)";
  check(explain(compile(`${inputs}${stage}`).graph, 100));
  for (const what of [
    "uniform",
    "set",
    "grammar",
    "input",
    "text",
    "guide",
    "state",
    "measure",
    "doc",
    "no doc",
    "cpu",
    "host",
  ])
    expect([what, met.has(what)]).toEqual([what, true]);
  const whole = JSON.parse(JSON.stringify(explain(compilePipeline("top_k(3)").graph, 100))) as Explanation;
  expect(faults(whole)).toEqual([]);
  expect(faults({ ...whole, split: { stage: "top_k", index: 0, ops: ["top_k"], device: "GPU", bytes: 8 } })).toEqual(
    [],
  );
  for (const [key, value] of [
    ["nodes", "3"],
    ["more", 1],
    ["stages", [{}]],
    ["interface", [{ kind: "x", name: "", values: "" }]],
  ] as const)
    expect([key, faults({ ...whole, [key]: value }).length > 0]).toEqual([key, true]);
});

test("the command prints it", () => {
  const command = ["runtime/dist/cli/main.js", "explain", "-e", "top_k(3) |> dist()", "--json"];
  const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(faults(JSON.parse(stdout))).toEqual([]);
});

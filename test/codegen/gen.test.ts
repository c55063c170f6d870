/** `ggsl gen`: committed modules are up to date, and its errors. */
import { afterAll, expect, test } from "@jest/globals";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { moduleChains } from "../../codegen/chains.js";
import { nameChains, typeScriptModule } from "../../codegen/module.js";
import { fromSpec } from "../../compiler/graph/json.js";
import { importerFor } from "../../cli/files.js";
import { chainOf, compile } from "../../runtime/chain/chain.js";
import { warm } from "../cli/warm/warm.js";
import { node, tsc } from "./ggsl.js";

const ggsl = warm();

// inside the package, so that modules resolve it by name
mkdirSync("build", { recursive: true });
const folder = mkdtempSync("build/gen-");
afterAll(() => rmSync(folder, { recursive: true }));
cpSync("test/codegen/files", folder, { recursive: true });
const awkward = join(folder, "awkward.ggsl");

/** Modules in this repository. GGSL_BLESS=1 rewrites them. */
const COMMITTED = [
  ["test/codegen/files/awkward.ggsl", "--dts", "--set", "k=7"],
  ["test/codegen/files/guided.ggsl", "--dts"],
  ["test/codegen/files/spoken.ggsl", "--dts"],
  ["test/codegen/files/ending.ggsl", "--dts"],
  ["examples/typed-app/chains.ggsl", "--dts"],
  ["examples/typed-app/chains.ggsl", "-o", "examples/typed-app/node/chains.ts"],
];
test.each(COMMITTED)("the committed module of %s is up to date", (...args) => {
  const { status, stderr } = ggsl(["gen", ...args, ...(process.env["GGSL_BLESS"] === "1" ? [] : ["--check"])]);
  expect(stderr.replace(/^note: .*\n/gm, "")).toBe("");
  expect(status).toBe(0);
});

test("TypeScript accepts the modules, and refuses wrong uniforms and inputs", () => {
  expect(tsc("-p", "test/codegen/types").stdout).toBe("");
});

test("the module does not depend on the folder, and is not rewritten if unchanged", () => {
  const output = join(folder, "awkward.ts");
  expect(ggsl(["gen", awkward, "--set", "open.k=7"]).stdout).toBe(`wrote ${output}\n`);
  const text = readFileSync(output, "utf8");
  expect(text).toContain("// Made by `ggsl gen awkward.ggsl --set open.k=7`; do not edit.\n");
  expect(ggsl(["gen", "awkward.ggsl", "--set", "open.k=7"], { cwd: folder })).toMatchObject({ status: 0, stdout: "" });
  expect(readFileSync(output, "utf8")).toBe(text);
  expect(ggsl(["gen", awkward, "--set", "open.k=7", "-o", "-"]).stdout).toBe(text);
});

test("a chain of a module equals the compiler's", () => {
  const text = readFileSync(awkward, "utf8");
  const options = { importer: importerFor(awkward), file: awkward };
  const { chains } = moduleChains({ name: awkward, text }, { importer: importerFor(awkward), set: { k: 7 } });
  expect(chains.map((c) => c.name)).toEqual([
    "class",
    "type",
    "class_",
    "chainOf",
    "a_b",
    "aB",
    "steady",
    "open",
    "größe",
  ]);
  for (const { name, graph, rowsGraph } of chains) {
    const compiled = compile(text, { ...options, chain: name, ...(name === "open" && { set: { k: 7 } }) });
    expect(graph).toEqual(compiled.graph);
    expect(rowsGraph).toEqual(compiled.rowsGraph);
  }
});

test("the compiled module runs, with all its chains, in a program without a compiler", () => {
  const output = join(folder, "run.ts");
  ggsl(["gen", awkward, "--set", "k=7", "-o", output]);
  expect(
    tsc("--ignoreConfig", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", output).stdout,
  ).toBe("");
  const script = `
    import { aB, class__, steady, type } from "./run.js";
    const logits = [0.1, 0.2, 0.3, 0.4].map(Math.log);
    const run = (chain, options) => chain.evaluate(logits, { backend: "reference", ...options });
    const rows = await run(aB);
    const green = await run(class__, { feed: { inputs: { green: [9, 0, 0, 0] } } });
    const favoured = new Map([[1, 20]]);
    const { token } = await run(type, { uniforms: { on: true, times: 3, seed: 1 }, feed: { inputs: { favoured } } });
    const fault = await run(steady, { uniforms: { tao: 1 } }).catch((error) => error.message);
    console.log(JSON.stringify({ rows: rows.candidates.map((c) => c.token), green: green.token, token, fault }));
  `;
  writeFileSync(join(folder, "main.mjs"), script);
  const { stdout, stderr } = node([join(folder, "main.mjs")]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({
    rows: [3, 2],
    green: 0,
    token: 1,
    fault: "the chain `steady` has no uniform `tao`: did you mean `tau`? its uniforms are `tau`",
  });
});

test("the embedded graphs equal the compiled ones", () => {
  const { chains } = moduleChains({ name: "c.ggsl", text: readFileSync("examples/typed-app/chains.ggsl", "utf8") });
  const module = typeScriptModule(nameChains(chains), "ggsl gen c.ggsl");
  const specs = [...module.matchAll(/fromSpec\((\{[^]*?\n {2,}\})\)/g)].map(([, json]) => fromSpec(JSON.parse(json!)));
  expect(specs).toEqual(chains.flatMap(({ graph, rowsGraph }) => (graph === rowsGraph ? [graph] : [graph, rowsGraph])));
  expect(specs).toHaveLength(3);
  expect(chainOf(specs[0]!, specs[1]).rowsGraph).toBe(specs[1]);
});

test("--check finds a stale or missing module, and says how to generate it", () => {
  const program = join(folder, "stale.ggsl");
  writeFileSync(program, 'import { temp } from "std"\nchain a(t: f32 = 1) = temp(t)\n');
  const missing = ggsl(["gen", program, "--check"]);
  expect(missing).toMatchObject({ status: 1, stdout: "" });
  expect(missing.stderr).toBe(`error: "${folder}/stale.ts" does not exist. To generate it: ggsl gen ${program}\n`);
  ggsl(["gen", program]);
  expect(ggsl(["gen", program, "--check"]).status).toBe(0);
  writeFileSync(program, 'import { temp } from "std"\nchain a(t: f32 = 2) = temp(t)\n');
  const stale = ggsl(["gen", program, "--check"]);
  expect(stale).toMatchObject({ status: 1, stdout: "" });
  expect(stale.stderr).toContain('stale.ts" is out of date. To generate it: ggsl gen');
});

test("a hand-written file is not overwritten", () => {
  writeFileSync(join(folder, "mine.ggsl"), 'import { greedy } from "std"\nchain a = greedy()\n');
  writeFileSync(join(folder, "mine.ts"), "export const a = 1;\n");
  const { status, stderr } = ggsl(["gen", join(folder, "mine.ggsl")]);
  expect(status).toBe(1);
  expect(stderr).toContain("`ggsl gen` did not generate it");
  expect(readFileSync(join(folder, "mine.ts"), "utf8")).toBe("export const a = 1;\n");
});

test.each([
  [[], "error[E0410]: the static parameter `k` has no value"],
  [["--set", "k=700"], "error[E0411]: `k` must be in [1, 100], but is set to 700"],
  [["--set", "open.k=7", "--set", "q=1"], "has no parameter `q`"],
  [["--set", "opne.k=7", "--set", "k=7"], "`opne`"],
  [["opne"], "`opne`"],
])("wrong settings are diagnosed: %j", (args, message) => {
  const { status, stderr } = ggsl(["gen", awkward, "-o", "-", ...args]);
  expect(stderr).toContain(message);
  expect(status).toBe(1);
});

test("wrong usage", () => {
  expect(ggsl(["gen", awkward, "-o", "-", "--check"]).status).toBe(2);
  expect(ggsl(["gen", awkward, "--set", "a.b"]).status).toBe(2);
  expect(ggsl(["gen", "-"]).status).toBe(2);
  expect(ggsl(["gen", join(folder, "none.ggsl")])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("no such file"),
  });
});

test("chains can be chosen", () => {
  const { stdout, stderr } = ggsl(["gen", awkward, "aB", "steady", "-o", "-"]);
  expect([...stdout.matchAll(/^export const (\w+)/gm)].map(([, name]) => name)).toEqual(["aB", "steady"]);
  expect(stdout).toContain("// Made by `ggsl gen awkward.ggsl aB steady`; do not edit.");
  expect(stderr).toBe("");
});

/**
 * The graph of every standard sampler before and after optimization, and the effect of each optimization on its example, so
 * that every change of a graph is visible.
 */
import { describe, expect, test } from "@jest/globals";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  compileProgram,
  compileStages,
  graphOf,
  OPTIMIZATIONS,
  type Compilation,
  type CompileOptions,
} from "../../compiler/driver.js";
import { launches } from "../../compiler/graph/ops.js";
import { printGraph } from "../../compiler/graph/text.js";
import { difference, expected } from "./golden.js";
import { STAGES } from "./stages.js";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

const UNIFORMS = `
import { top_k, top_p, min_p, temp, dist } from "std"

chain c(static k: i32 = 40, p: f32 = 0.95, keep_min: i32 = 0, m: f32 = 0.05, t: f32 = 0.8, s: seed = 42) =
  top_k(k) |> top_p(p, keep_min) |> min_p(m, keep_min) |> temp(t) |> dist(s)
`;

type Compiler = (options: CompileOptions) => Compilation;

/** The number of nodes, and the count of each op. */
function text(title: string, compilation: Compilation): string {
  const graph = graphOf(compilation);
  const count = graph.nodes.filter(launches).length;
  return `// ${title}: ${count} nodes without views\n${printGraph(graph)}`;
}

const beforeAndAfter = (compiler: Compiler): string =>
  [text("as lowered", compiler({ optimize: false })), text("optimized", compiler({}))].join("\n");

function expectGolden(name: string, actual: string): void {
  const wanted = expected(`${name}.txt`, actual);
  expect(difference(wanted, actual)).toBe(difference(wanted, wanted));
  expect(actual).toBe(wanted);
}

test.each(Object.keys(STAGES))("the graph of %s", (name) => {
  const [stages, options] = STAGES[name]!;
  expectGolden(
    name,
    beforeAndAfter((o) => compileStages(stages, { ...options, ...o })),
  );
});

test("the graph of a chain with uniforms", () => {
  expectGolden(
    "uniforms",
    beforeAndAfter((o) => compileProgram(UNIFORMS, o)),
  );
});

test("no golden graph belongs to a removed sampler", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));
  expect(files.sort()).toEqual([...Object.keys(STAGES), "uniforms"].map((name) => `${name}.txt`).sort());
});

describe.each([...OPTIMIZATIONS.values()])("$name", ({ name, example }) => {
  const compiler: Compiler = example.includes("chain ")
    ? (o): Compilation => compileProgram(example, o)
    : (o): Compilation => compileStages(example, o);
  const [off, on] = [compiler({ disable: [name] }), compiler({})];

  test("changes the graph of its example", () => {
    expectGolden(`optimizations/${name}`, [text(`without ${name}`, off), text(`with ${name}`, on)].join("\n"));
    expect(printGraph(graphOf(off))).not.toBe(printGraph(graphOf(on)));
  });
});

test("an unknown optimization cannot be disabled", () => {
  expect(() => compileStages("dist(1)", { disable: ["fold"] })).toThrow('there is no optimization "fold"; there are order-facts');
});

/** The graph of every standard sampler, so that no change to the compiler changes a graph unseen. */
import { expect, test } from "@jest/globals";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compileProgram, compileStages, graphOf, type Compilation, type CompileOptions } from "../../compiler/compile.js";
import { printGraph } from "../../compiler/graph/text.js";
import { difference, expected } from "./golden.js";

const ROWS: CompileOptions = { outputs: ["candidates", "logits", "probs"] };

/** Defaults, except for seeds, which would be random. */
const STAGES: Readonly<Record<string, [stages: string, options?: CompileOptions]>> = {
  greedy: ["greedy()"],
  dist: ["dist(42)"],
  temp: ["temp()", ROWS],
  top_k: ["top_k()", ROWS],
  top_p: ["top_p()", ROWS],
  min_p: ["min_p()", ROWS],
  default_chain: ["top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)"],
};

const UNIFORMS = `
import { top_k, top_p, min_p, temp, dist } from "std"

chain c(static k: i32 = 40, p: f32 = 0.95, keep_min: i32 = 0, m: f32 = 0.05, t: f32 = 0.8, s: seed = 42) =
  top_k(k) |> top_p(p, keep_min) |> min_p(m, keep_min) |> temp(t) |> dist(s)
`;

const text = (compilation: Compilation): string => printGraph(graphOf(compilation));

function expectGolden(name: string, actual: string): void {
  const wanted = expected(`${name}.txt`, actual);
  expect(difference(wanted, actual)).toBe(difference(wanted, wanted));
  expect(actual).toBe(wanted);
}

test.each(Object.keys(STAGES))("the graph of %s", (name) => {
  const [stages, options] = STAGES[name]!;
  expectGolden(name, text(compileStages(stages, options)));
});

test("the graph of a chain with uniforms", () => {
  expectGolden("uniforms", text(compileProgram(UNIFORMS)));
});

/** Whose graphs nobody has read yet. A sampler leaves this list when its golden graph was judged. */
const UNREAD = [
  ...["adaptive_p", "dry", "entropy_temp", "epsilon", "eta", "logit_bias", "mirostat", "mirostat_v2", "no_repeat_ngram"],
  ...["p_less", "penalties", "quadratic", "skew", "tail_free", "temp_ext", "top_a", "top_n_sigma", "typical", "xtc"],
];

test("every standard sampler has a golden graph, or is listed as unread", () => {
  const folder = fileURLToPath(new URL("../../compiler/std", import.meta.url));
  const samplers = readdirSync(folder).filter((f) => f.endsWith(".ggsl"));
  const without = samplers.map((f) => f.replace(".ggsl", "")).filter((name) => !(name in STAGES));
  expect(without.sort()).toEqual([...UNREAD].sort());
});

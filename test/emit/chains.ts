/** The chains that every other runtime is compared on: the example of each standard sampler, the examples, and typical chains. */
import { readdirSync, readFileSync } from "node:fs";
import { importerFor } from "../../cli/files.js";
import { ALL_OUTPUTS, checkSource, compileChain, graphOf, isOpen } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { withSeed } from "../../compiler/graph/seeds.js";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { compilePipeline } from "../../runtime/chain/chain.js";
import type { UniformValues } from "../../runtime/sequence/sequence.js";

/** A grammar for chains that take one. */
const GRAMMAR = { gbnf: "root ::= [a-z ]+" };

interface EmittedChain {
  readonly name: string;
  /** With all outputs. */
  readonly graph: Graph;
  readonly uniforms?: UniformValues;
}

export const STANDARD: readonly EmittedChain[] = STD_SAMPLERS.map(({ name, example }) =>
  chainOf(name, compilePipeline(example).rowsGraph),
);

const FOLDER = "examples";
export const EXAMPLES: readonly EmittedChain[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".ggsl"))
  .flatMap((file) => chainsIn(`${FOLDER}/${file}`));

export const TYPICAL: readonly EmittedChain[] = [
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "penalties(64, 1.1) |> top_n_sigma(1) |> temp(0.7) |> dist(7)",
  "min_p(0.05) |> temp(0.8) |> dist(1)",
  "top_p(0.95) |> dist(1)",
  "typical(0.95) |> temp_ext(1, 0.5) |> dist(5)",
  "logit_bias() |> dry(0.8) |> xtc(0.5, 0.1, seed: 3) |> mirostat_v2(seed: 3)",
].map((stages) => chainOf(stages, compilePipeline(stages).rowsGraph));

/** Chains for a vocabulary of today's size, whose sums have many terms. */
export const LARGE = [
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)",
  "min_p(0.05) |> temp(0.8) |> dist(1)",
  "top_p(0.95) |> dist(1)",
  "typical(0.95) |> dist(2)",
  "top_n_sigma(1) |> temp(0.7) |> dist(7)",
  "penalties(64, 1.1) |> epsilon(0.0003) |> dist(3)",
  "eta(0.0003) |> dist(4)",
  "xtc(0.5, 0.1, seed: 3) |> mirostat_v2(seed: 3)",
  "temp(1.3) |> top_h(0.4) |> dist(8)",
  "gumbel(9)",
] as const;

function chainOf(name: string, graph: Graph): EmittedChain {
  const open = (graph.grammars ?? []).filter(({ default: standard }) => standard === undefined);
  return {
    name,
    graph: withSeed(graph, 42),
    uniforms: Object.fromEntries(open.map((grammar) => [grammar.name, GRAMMAR])),
  };
}

/** All chains of a file without a host tail, and without texts that only a model's vocabulary has. */
function chainsIn(file: string): EmittedChain[] {
  const options = { importer: importerFor(file), outputs: ALL_OUTPUTS };
  const { program } = checkSource({ name: file, text: readFileSync(file, "utf8") }, options);
  return program!.chains
    .filter((chain) => !isOpen(chain))
    .map((chain) => chainOf(`${file} ${chain.name.text}`, graphOf(compileChain(program!, chain, options))))
    .filter(({ graph }) => graph.tail.length === 0 && !graph.writes && !graph.rules);
}

/** The chain interface of the package: chains compiled from text or read from a spec, and evaluated on plain logits. */
import type { Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import {
  compileLowered,
  compileRows,
  graphOf,
  lowerProgram,
  lowerStages,
  type CompileOptions,
} from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { withSeed } from "@ggsl/compiler/graph/seeds.js";
import { traceParts } from "@ggsl/compiler/graph/trace.js";
import type { AnyChainTypes, ChainTypes, EvaluateArguments, Measured } from "./chainTypes.js";
import { text } from "../core/check.js";
import { InputError } from "../core/errors.js";
import {
  checkEvaluateOptions,
  createEvaluator,
  prepareBackend,
  type EvaluateOptions,
  type Evaluation,
} from "./evaluate.js";
import * as checks from "../core/sharedOptions.js";

/**
 * A compiled chain: its graphs, and a method to run it on plain logits. It holds no native memory and needs no disposal.
 * `Types` lists its names if the chain was compiled ahead of time.
 */
export interface Chain<Types extends ChainTypes = AnyChainTypes> {
  readonly name: string;
  /** The graph that a model runs. It outputs the token, or the rows if the chain picks none. */
  readonly graph: Graph;
  /** The graph that outputs the remaining rows as well as the token. A chain read from a spec has the graph of the spec. */
  readonly rowsGraph: Graph;
  readonly warnings: readonly Diagnostic[];
  /**
   * Runs the chain once on plain logits.
   * @param logits one f32 for each token of the vocabulary; -inf for tokens that are not candidates
   * @throws InputError for logits that are NaN or +inf, or for uniforms that do not fit
   */
  evaluate(
    logits: Float32Array | readonly number[],
    ...options: EvaluateArguments<Types>
  ): Promise<Measured<Evaluation, Types>>;
}

/** Compiles a chain of a program. Throws `CompileError` with all diagnostics, `InputError` for arguments of a wrong type. */
export const compile = (source: string, options: CompileOptions = {}): Chain =>
  chainFrom(lowerProgram, "source", source, options);

/** Compiles `stage |> stage`, samplers of the standard library. Throws as `compile` does. */
export const compilePipeline = (stages: string, options: CompileOptions = {}): Chain =>
  chainFrom(lowerStages, "stages", stages, options);

/**
 * A chain from a verified graph, for example from `readSpec`; `rowsGraph` is the graph of the same chain with the rows as an
 * additional output. `Types` is not checked against the graph.
 */
export function chainOf<Types extends ChainTypes = AnyChainTypes>(graph: Graph, rowsGraph = graph): Chain<Types> {
  checks.graph(graph, "graph");
  checks.graph(rowsGraph, "rowsGraph");
  return makeChain(graph, () => rowsGraph, []) as Chain<Types>;
}

/** The chain is lowered once; its graph with rows is optimized when it is asked for. */
function chainFrom(lower: typeof lowerProgram, name: string, source: string, options: CompileOptions): Chain {
  text(source, name);
  checks.compileOptions(options, "options");
  const warnings: Diagnostic[] = [];
  const lowered = lower(source, options);
  const graph = graphOf(compileLowered(lowered, options), (w) => warnings.push(w));
  const chain = makeChain(graph, () => graphOf(compileRows(lowered, graph, options)), warnings);
  const traced = { ...options, trace: true };
  if (!options.trace) makesTraced.set(chain, () => graphOf(compileLowered(lower(source, traced), traced)));
  return chain;
}

/** How the graph with a trace of a chain is made, for those without one. */
const makesTraced = new WeakMap<Chain, () => Graph>();

/**
 * The graph of a chain with a trace, which is made once. Throws `CompileError` for a chain that cannot be traced, and `InputError` (`NOT_TRACED`)
 * for one of a compiled graph without a trace.
 */
export function tracedGraph(chain: Chain): Graph {
  if (traceParts(chain.graph).length > 0) return chain.graph;
  const make = makesTraced.get(chain);
  if (!make)
    throw new InputError(
      `the chain \`${chain.name}\` is a compiled graph without a trace: compile its program with \`trace: true\``,
      { code: "NOT_TRACED" },
    );
  const graph = make();
  makesTraced.set(chain, () => graph);
  return graph;
}

/** The chain with a seed in place of each one that it leaves open. Its graph with rows is made when it is asked for. */
export function seededChain(chain: Chain, seed: number): Chain {
  const graph = withSeed(chain.graph, seed);
  const rows = (): Graph => (chain.rowsGraph === chain.graph ? graph : withSeed(chain.rowsGraph, seed));
  const seeded = makeChain(graph, rows, chain.warnings);
  if (makesTraced.has(chain)) makesTraced.set(seeded, () => withSeed(tracedGraph(chain), seed));
  return seeded;
}

/** The stages of a chain's trace: `model`, and those of the program. Throws as `tracedGraph` does. */
export const tracedStages = (chain: Chain): readonly string[] =>
  traceParts(tracedGraph(chain)).flatMap(({ stage, column }) => (column === "rows" ? [stage] : []));

function makeChain(graph: Graph, makeRows: () => Graph, warnings: readonly Diagnostic[]): Chain {
  let made: Graph | undefined;
  const rowsGraph = (): Graph => (made ??= makeRows());
  return {
    name: graph.name,
    graph,
    get rowsGraph() {
      return rowsGraph();
    },
    warnings,
    async evaluate(logits, options: EvaluateOptions = {}) {
      checks.logitList(logits, "logits");
      checkEvaluateOptions(options, "options");
      await prepareBackend(options.backend);
      using evaluator = createEvaluator(rowsGraph(), logits.length, options);
      return evaluator.evaluate(logits);
    },
  };
}

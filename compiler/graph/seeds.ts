/** The random seeds of a chain. A runtime draws them for each sequence, unless the caller has set them. */
import type { Graph, TailStage } from "./graph.js";
import { TAIL_SAMPLERS } from "../llama/samplers.js";

export const hasOpenSeed = ({ draws, params, tail }: Graph): boolean =>
  params.some((p) => p.default === "random") || draws.some((d) => d.seed === "random") || tail.some(drawsFromOpenSeed);

/** The graph with fixed seeds in place of random ones, so that the same seed gives the same text. */
export const withSeed = (graph: Graph, seed: number): Graph => ({
  ...graph,
  params: graph.params.map((p) => (p.default === "random" ? { ...p, default: seed } : p)),
  draws: graph.draws.map((d) => (d.seed === "random" ? { ...d, seed } : d)),
  tail: graph.tail.map((s) => (drawsFromOpenSeed(s) ? { ...s, args: { ...s.args, seed } } : s)),
});

/** The same for a seed that may be absent: then the graph itself. */
export const seeded = (graph: Graph, seed: number | undefined): Graph =>
  seed === undefined || !hasOpenSeed(graph) ? graph : withSeed(graph, seed);

/** A tail stage without a seed is also random. */
const drawsFromOpenSeed = ({ name, args }: TailStage): boolean =>
  TAIL_SAMPLERS[name]?.params["seed"] !== undefined && (args["seed"] ?? "random") === "random";

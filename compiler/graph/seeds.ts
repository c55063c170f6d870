/** The seeds that a chain leaves open. A runtime draws them for each sequence, unless the caller sets them before. */
import type { Graph, TailStage } from "./graph.js";
import { TAIL_SAMPLERS } from "../llama/samplers.js";

export const hasOpenSeed = ({ draws, params, tail }: Graph): boolean =>
  params.some((p) => p.default === "random") || draws.some((d) => d.seed === "random") || tail.some(drawsFromOpenSeed);

/** The graph with a seed in the place of every open one, so that the same seed gives the same text. */
export const withSeed = (graph: Graph, seed: number): Graph => ({
  ...graph,
  params: graph.params.map((p) => (p.default === "random" ? { ...p, default: seed } : p)),
  draws: graph.draws.map((d) => (d.seed === "random" ? { ...d, seed } : d)),
  tail: graph.tail.map((s) => (drawsFromOpenSeed(s) ? { ...s, args: { ...s.args, seed } } : s)),
});

/** A tail stage whose seed is left out is random, too. */
const drawsFromOpenSeed = ({ name, args }: TailStage): boolean =>
  TAIL_SAMPLERS[name]?.params["seed"] !== undefined && (args["seed"] ?? "random") === "random";

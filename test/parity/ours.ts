/** A GGSL chain, step by step: the token it picks and, on demand, the rows it leaves. */
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  startSequence,
  uniformsOf,
  type SequenceState,
} from "../../runtime/sequence/sequence.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { runOf, type Backend, type Results } from "./backends.js";
import type { Given } from "./llama.js";
import { rowsOfGraph, type Rows } from "./rows.js";
import type { Mode } from "./samplers.js";
import { compileIn, specOf } from "./stages.js";

interface OpenChain {
  /** The token of this step; undefined without a pick stage. */
  pick(): number | undefined;
  rows(): Rows;
  /** Accepts the token; returns the draw that the pick used. */
  accept(token: number): number | undefined;
}

export function openOurs({ stages, input, context }: Given, mode: Mode, backend: Backend): OpenChain {
  const picks = specOf(stages.at(-1)!).picks !== undefined;
  const rows = ["candidates", "logits", "probs"] as const;
  const { graph, uniforms } = compileIn(mode, stages, picks ? ["sampled", ...rows] : rows);
  // generation reads only the token, which is another graph
  const picking = picks ? compileIn(mode, stages, ["sampled"]).graph : graph;
  const start = (of: Graph): SequenceState =>
    acceptPrompt(startSequence(of, input.length, { uniforms, feed: { bias: context.bias } }), context.history);
  let sequence = start(picking);
  // each graph reads only the features, draws and states it needs
  let shown = start(graph);
  let states = new Float32Array();
  const run = (own: SequenceState): Results =>
    runOf(backend, own.graph, input.length)(input, uniformsOf(own), featureInputs(own));
  return {
    pick() {
      if (!picks) return undefined;
      const results = run(sequence);
      states = Float32Array.from(results.states ?? []);
      return typeof results.sampled === "number" ? results.sampled : results.sampled![0]!;
    },
    rows: () => rowsOfGraph(run(shown)),
    accept(token) {
      const before = sequence;
      sequence = acceptToken(sequence, token, states);
      shown = acceptToken(
        shown,
        token,
        graph.states.length === 0 ? states : Float32Array.from(run(shown).states ?? []),
      );
      const last = picking.draws.length - 1;
      if (last < 0) return undefined;
      return (picking.draws[last]!.at === undefined ? before : sequence).streams[last]!.value;
    },
  };
}

/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The rows that a chain keeps, for a sequence whose graph gives only the token: computed on the CPU from the model's own logits. So
 * the graph of the sequence stays as it is.
 */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { chosenBackend, openBackend } from "../chain/evaluate.js";
import { columnsOf } from "../sequence/features/feed.js";
import { mirrorOf } from "../sequence/mirror.js";
import { featureInputs, uniformsOf, type SequenceState } from "../sequence/sequence.js";

/** The rows of the chain, and their probabilities. */
export interface KeptRows {
  readonly tokens?: Int32Array | undefined;
  readonly probs?: Float32Array;
}

export interface RowReader extends Disposable {
  /**
   * The rows for the present token of a sequence.
   * @param guides the logits of the guides, by name
   */
  read(sequence: SequenceState, logits: Float32Array, guides: ReadonlyMap<string, Float32Array>): KeptRows;
}

/**
 * @param graph the chain's graph with the rows as outputs
 * @param sequence of the chain's graph without them
 */
export function openRows(graph: Graph, sequence: SequenceState): RowReader {
  const mirror = mirrorOf(graph, sequence);
  const columns = columnsOf(graph, mirror(sequence).features);
  const { run, dispose } = openBackend(graph, sequence.vocabSize, { backend: chosenBackend("auto") }, columns);
  return {
    read(now, logits, guides) {
      const state = mirror(now);
      const inputs = featureInputs(state);
      for (const { name, input } of guidesOf(graph)) inputs[input - 1] = guides.get(name)!;
      const { candidates, probs } = run(logits, uniformsOf(state), inputs);
      return { tokens: candidates, ...(probs && { probs }) };
    },
    [Symbol.dispose]: dispose,
  };
}

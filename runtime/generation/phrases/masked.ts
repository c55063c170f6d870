/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A chain where tokens are masked: no candidates, in front of all its stages. It is computed on the CPU from the model's own logits, for
 * the few places where it is asked, so that the graph of the text stays as it is.
 */
import { compileProgram, graphOf } from "@ggsl/compiler/driver.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { prepend } from "@ggsl/compiler/graph/prepend.js";
import { setsOf } from "@ggsl/compiler/graph/sets.js";
import type { ChainResults } from "../../backends/native/binding.js";
import { chosenBackend, openBackend } from "../../chain/evaluate.js";
import { columnsOf } from "../../sequence/features/feed.js";
import { mirrorOf } from "../../sequence/mirror.js";
import { featureInputs, uniformsOf, withUniforms, type SequenceState } from "../../sequence/sequence.js";

/** Not the name of a parameter of a program. */
const MASKED = "masked tokens";
/** The most tokens that are masked at one place. */
export const MOST_MASKED = 64;

let front: Graph | undefined;

function frontGraph(): Graph {
  const set = `tokens(${MOST_MASKED})`;
  const program = `sampler unless(masked: ${set}) { keep token not in masked }\nchain front(masked: ${set} = tokens()) = unless(masked)`;
  const graph = graphOf(compileProgram(program, { outputs: ["logits"] }));
  return { ...graph, sets: setsOf(graph).map((one) => ({ ...one, name: MASKED })) };
}

export interface MaskedChain extends Disposable {
  /**
   * The results for the present token of a sequence.
   * @param tokens those that are masked
   * @param logits the model's own
   * @param guides the logits of the guides, by name
   */
  run(
    sequence: SequenceState,
    tokens: Iterable<number>,
    logits: Float32Array,
    guides: ReadonlyMap<string, Float32Array>,
  ): ChainResults;
}

/**
 * @param graph the chain's, or the one that has its rows as outputs
 * @param sequence of the chain's graph
 */
export function openMasked(graph: Graph, sequence: SequenceState): MaskedChain {
  const whole = prepend((front ??= frontGraph()), graph);
  const mirror = mirrorOf(whole, sequence);
  const columns = columnsOf(whole, mirror(sequence).features);
  const { run, dispose } = openBackend(whole, sequence.vocabSize, { backend: chosenBackend("auto") }, columns);
  return {
    run(now, tokens, logits, guides) {
      const state = withUniforms(mirror(now), { [MASKED]: [...tokens] });
      const inputs = featureInputs(state);
      for (const { name, input } of guidesOf(whole)) inputs[input - 1] = guides.get(name)!;
      const { sampled, ...results } = run(logits, uniformsOf(state), inputs);
      return { ...results, ...(sampled !== undefined && { sampled: Int32Array.of(sampled) }) };
    },
    [Symbol.dispose]: dispose,
  };
}

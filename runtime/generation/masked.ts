/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A chain where tokens are masked: no candidates, in front of all its stages. It is computed on the CPU from the model's own logits, for
 * the few places where it is asked, so that the graph of the text stays as it is.
 */
import { compileProgram, graphOf } from "@ggsl/compiler/driver.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Feature, Graph } from "@ggsl/compiler/graph/graph.js";
import { prepend } from "@ggsl/compiler/graph/prepend.js";
import type { ChainResults } from "../backends/native/binding.js";
import { chosenBackend, openBackend } from "../chain/evaluate.js";
import { columnsOf, type Feed } from "../sequence/features/feed.js";
import { mirrorOf } from "../sequence/mirror.js";
import { featureInputs, uniformsOf, type SequenceState } from "../sequence/sequence.js";

/** Not the name of an input of a program. */
const OPEN = "open tokens";

let front: Graph | undefined;

function frontGraph(): Graph {
  const program = "input open: bool\nsampler only() { keep open }\nchain front = only()";
  const graph = graphOf(compileProgram(program, { outputs: ["logits"] }));
  const features = graph.features.map((feature): Feature =>
    feature.from.kind === "input" ? { ...feature, from: { ...feature.from, name: OPEN } } : feature,
  );
  return { ...graph, features };
}

/** The flags of the tokens that are not masked. */
export function openTokens(
  vocabSize: number,
  allowed: Iterable<number> | undefined,
  masked: Iterable<number> = [],
): Float32Array {
  const open = new Float32Array(vocabSize).fill(allowed ? 0 : 1);
  for (const token of allowed ?? []) open[token] = 1;
  for (const token of masked) open[token] = 0;
  return open;
}

/** What feeds a sequence, with the tokens that are not masked. Its vocabulary is read only where it is used. */
const withOpen = (feed: Feed, open: Float32Array): Feed =>
  Object.create(feed, { inputs: { value: { ...feed.inputs, [OPEN]: open } } }) as Feed;

export interface MaskedChain extends Disposable {
  /**
   * The results for the present token of a sequence.
   * @param open as `openTokens` gives it
   * @param logits the model's own
   * @param guides the logits of the guides, by name
   */
  run(
    sequence: SequenceState,
    open: Float32Array,
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
    run(now, open, logits, guides) {
      const mirrored = mirror(now);
      const state = { ...mirrored, feed: withOpen(mirrored.feed, open) };
      const inputs = featureInputs(state);
      for (const { name, input } of guidesOf(whole)) inputs[input - 1] = guides.get(name)!;
      const { sampled, ...results } = run(logits, uniformsOf(state), inputs);
      return { ...results, ...(sampled !== undefined && { sampled: Int32Array.of(sampled) }) };
    },
    [Symbol.dispose]: dispose,
  };
}

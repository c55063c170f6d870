/// <reference lib="esnext.disposable" preserve="true" />
/** Places a graph on a device, with the unsupported rest on the CPU, and describes the split. */
import type { Graph, NodeId } from "@ggsl/compiler/graph/graph.js";
import { bindDim, encodeWire } from "@ggsl/compiler/graph/wire.js";
import { InputError } from "../../core/errors.js";
import type { ChainResults, InputValues, NativeEvaluator } from "../native/binding.js";
import { loadBinding } from "../native/loader.js";
import type { RemoteKind } from "./servers.js";
import { firstStage, splitGraph, type SplitGraph } from "./split.js";

interface PlaceOptions {
  /** ggml's name of the device. */
  readonly device: string;
  /** It is a device of another machine, of this kind. */
  readonly kind?: RemoteKind | undefined;
  /** The values of the graph's constant inputs; a graph that has some cannot run without them. */
  readonly columns?: readonly Float32Array[];
  /** Makes a split an error. */
  readonly strict?: boolean | undefined;
  /** Whether the graph becomes part of a model's graph. */
  readonly inModel?: boolean;
  /** Further nodes to treat as unsupported. */
  readonly without?: (graph: Graph) => readonly NodeId[];
}

/** Why a chain does not run on its device as a whole. */
export interface Split {
  /** The stage before which it is split, e.g. `top_p`. */
  readonly stage: string;
  /** Its index; stages before it run on the device. */
  readonly index: number;
  /** Ops that the device cannot run. */
  readonly ops: readonly string[];
  /** ggml's name of the device. */
  readonly device: string;
  /**
   * Bytes read back to the host per token.
   * @unit bytes
   */
  readonly bytes: number;
}

export interface PlacedGraph extends Disposable {
  /** The device's part of the graph, in the wire form. */
  readonly words: Int32Array;
  readonly split: Split | undefined;
  /** Computes the chain's results from the device's results, with the same uniforms and inputs. */
  finish(results: ChainResults, uniforms: Float32Array, inputs: readonly InputValues[]): ChainResults;
}

/** Throws `InputError` for a chain that has to be split, if `strict`. */
export function placeGraph(graph: Graph, vocabSize: number, options: PlaceOptions): PlacedGraph {
  const missing = missingOps(graph, vocabSize, options);
  if (missing.length === 0) return wholeGraph(graph);
  const nodes = missing.map(({ node }) => node);
  const parts = splitGraph(graph, nodes);
  const index = firstStage(graph, nodes) ?? 0;
  const split: Split = {
    stage: graph.stages[index]?.name ?? graph.name,
    index,
    ops: [...new Set(missing.map(({ op }) => op))],
    device: options.device,
    bytes: parts.taps.reduce((sum, id) => sum + 4 * bindDim(graph.nodes[id]!.dim, vocabSize), 0),
  };
  if (options.strict) throw new InputError(`strict: ${splitText(split)}`, { code: "UNSUPPORTED_OP" });
  return placeSplit(parts, split, vocabSize, options.columns);
}

const wires = new WeakMap<Graph, Int32Array>();

/** The wire form, which is made once for all texts of a chain. */
function wireOf(graph: Graph): Int32Array {
  const words = wires.get(graph) ?? encodeWire(graph);
  wires.set(graph, words);
  return words;
}

/** A graph that needs no split, for example on the CPU. */
export const wholeGraph = (graph: Graph): PlacedGraph => ({
  words: wireOf(graph),
  split: undefined,
  finish: (results) => results,
  [Symbol.dispose]: () => undefined,
});

export const splitText = ({ stage, ops, device, bytes }: Split): string =>
  `${device} cannot run ${ops.join(", ")}: the chain runs on the CPU from \`${stage}\` on, and ${bytes} bytes are read back per token`;

function missingOps(
  graph: Graph,
  vocabSize: number,
  { device, kind, inModel = false, without }: PlaceOptions,
): { node: NodeId; op: string }[] {
  const binding = loadBinding();
  const found = binding.unsupported(new binding.Graph(encodeWire(graph)), device, vocabSize, inModel, kind);
  const given = without?.(graph) ?? [];
  return [...found, ...given.map((node) => ({ node, op: graph.nodes[node]!.op.toUpperCase() }))];
}

function placeSplit(
  { device, taps, host }: SplitGraph,
  split: Split,
  vocabSize: number,
  columns: PlaceOptions["columns"],
): PlacedGraph {
  const binding = loadBinding();
  let evaluator: NativeEvaluator | undefined;
  // input 0 is not read: if the host needs the logits, they are a tap
  const logits = new Float32Array(vocabSize);
  return {
    words: encodeWire(device, taps),
    split,
    finish(results, uniforms, inputs) {
      evaluator ??= new binding.Evaluator(new binding.Graph(encodeWire(host), columns), { vocabSize });
      return evaluator.evaluate({ logits, uniforms, inputs: [...inputs, ...(results.taps ?? [])] });
    },
    [Symbol.dispose]: () => evaluator?.dispose(),
  };
}

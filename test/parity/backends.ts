/** Compiled chains on the compared backends, open for any number of tokens. */
import type { Graph } from "../../compiler/graph/graph.js";
import { encodeWire } from "../../compiler/graph/wire.js";
import type { ChainResults } from "../../runtime/backends/native/binding.js";
import { varying } from "../../runtime/sequence/features/feed.js";
import { chooseDeviceSync } from "../../runtime/backends/devices/choose.js";
import { placeGraph } from "../../runtime/backends/devices/place.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { loadedWasm } from "../../runtime/backends/wasm/loader.js";
import { interpret, type Outputs } from "../../runtime/backends/reference/interpret.js";
import type { Vector } from "../../runtime/backends/reference/kernels.js";
import { openOnnx } from "../emit/ort.js";

const ALL = ["reference", "cpu", "wasm", "vulkan"] as const;
type Public = (typeof ALL)[number];
/**
 * `ops` and `passes` are the CPU without its passes over wide columns, and with them, for the second of two sequences; `onnx` is
 * onnxruntime-node.
 */
export type Backend = Public | "ops" | "passes" | "onnx";

/** Names the backends to compare; Vulkan needs a new process every few graphs, so its tests are in test/vulkan. */
const CHOSEN = "GGSL_BACKENDS";
export const BACKENDS: readonly Public[] = process.env[CHOSEN]?.split(",").map(backendOf) ?? [
  "reference",
  "cpu",
  "wasm",
];

function backendOf(name: string): Public {
  const found = ALL.find((b) => b === name);
  if (!found) throw new Error(`${CHOSEN}: expected one or more of ${ALL.join(", ")}, found \`${name}\``);
  return found;
}

export type Results = Outputs | ChainResults;

/** Runs the graph on logits, with one f32 per uniform and a vector per other input. */
export type Run = (logits: Float32Array, uniforms: Float32Array, inputs?: readonly Vector[]) => Results;

/** Graphs that stay open, most recently used last. */
const open = new Map<Graph, Map<string, OpenGraph>>();
const MOST_GRAPHS = 64;

interface OpenGraph extends Disposable {
  readonly run: Run;
}

/** The columns of a graph's constant inputs, which are made for the device alone. */
type Columns = () => readonly Float32Array[];
const NO_COLUMNS: Columns = () => [];

/** A graph for a vocabulary size, always with the same vocabulary; an open one is reused. */
export function runOf(backend: Backend, graph: Graph, vocabSize: number, columns = NO_COLUMNS): Run {
  if (backend === "reference")
    return (logits, uniforms, inputs = []) => interpret(graph, [logits, ...inputs], uniforms);
  const ofGraph = open.get(graph) ?? new Map<string, OpenGraph>();
  const key = `${backend}/${vocabSize}`;
  open.delete(graph);
  open.set(graph, ofGraph);
  const opened = ofGraph.get(key) ?? openGraph(backend, graph, vocabSize, columns());
  ofGraph.set(key, opened);
  for (const old of [...open.keys()].slice(0, -MOST_GRAPHS)) close(old);
  return opened.run;
}

type Given = ReturnType<Columns>;

function openGraph(backend: Exclude<Backend, "reference">, graph: Graph, vocabSize: number, columns: Given): OpenGraph {
  if (backend === "onnx") return openInOnnx(graph, vocabSize);
  if (backend === "vulkan") return openVulkan(graph, vocabSize, columns);
  if (backend === "passes") return openSecond(graph, vocabSize, columns);
  const { Graph: NativeGraph, Evaluator } = backend === "wasm" ? loadedWasm() : loadBinding();
  const evaluator = new Evaluator(new NativeGraph(encodeWire(graph), columns), { vocabSize, fuse: backend !== "ops" });
  return {
    run: (logits, uniforms, inputs = []) => evaluator.evaluate({ logits, uniforms, inputs: varying(graph, inputs) }),
    [Symbol.dispose]: () => evaluator.dispose(),
  };
}

/** In onnxruntime-node. */
function openInOnnx(graph: Graph, vocabSize: number): OpenGraph {
  const opened = openOnnx(graph, vocabSize);
  return {
    run: (logits, uniforms, inputs = []) => opened.run([{ logits, uniforms, inputs }])[0]!,
    [Symbol.dispose]: () => opened[Symbol.dispose](),
  };
}

/** The first sequence has the logits in the opposite order, so that its results would be wrong for the second. */
function openSecond(graph: Graph, vocabSize: number, columns: Given): OpenGraph {
  const { Graph: NativeGraph, Evaluator } = loadBinding();
  const evaluator = new Evaluator(new NativeGraph(encodeWire(graph), columns), { vocabSize, rows: 2 });
  return {
    run: (logits, uniforms, inputs = []) =>
      secondOf(
        evaluator.evaluate({
          logits: joined(logits.toReversed(), logits),
          uniforms: joined(uniforms, uniforms),
          inputs: varying(graph, inputs).map((input) => joined(input, input)),
        }),
      ),
    [Symbol.dispose]: () => evaluator.dispose(),
  };
}

function joined<T extends Vector>(first: T, second: T): T {
  const both = new (first.constructor as new (size: number) => T)(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

const secondOf = (results: ChainResults): ChainResults =>
  Object.fromEntries(
    Object.entries(results as Record<string, Vector>).map(([name, both]) => [name, both.slice(both.length / 2)]),
  );

/** As in the runtime, except that a chain which the device cannot run as a whole is an error. */
function openVulkan(graph: Graph, vocabSize: number, columns: Given): OpenGraph {
  const { device } = chooseDeviceSync({ backend: "vulkan" });
  const placed = placeGraph(graph, vocabSize, { device, columns, strict: true });
  const { Graph: NativeGraph, Evaluator } = loadBinding();
  const evaluator = new Evaluator(new NativeGraph(placed.words, columns), { vocabSize, device });
  return {
    run: (logits, uniforms, inputs = []) => evaluator.evaluate({ logits, uniforms, inputs: varying(graph, inputs) }),
    [Symbol.dispose]: () => evaluator.dispose(),
  };
}

function close(graph: Graph): void {
  for (const opened of open.get(graph)!.values()) opened[Symbol.dispose]();
  open.delete(graph);
}

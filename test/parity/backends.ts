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
 * `ops` is the CPU with each op by itself, `passes` with its passes over wide columns, for the second of two sequences; `bundles` is the CPU
 * with bundles of small ops, which throws where a bit differs from `ops`; `onnx` is onnxruntime-node.
 */
export type Backend = Public | "ops" | "passes" | "bundles" | "onnx";

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
  if (backend === "bundles") return openBundles(graph, vocabSize, columns);
  const { Graph: NativeGraph, Evaluator } = backend === "wasm" ? loadedWasm() : loadBinding();
  const alone = backend === "ops" ? { fuse: false } : {};
  const evaluator = new Evaluator(new NativeGraph(encodeWire(graph), columns), { vocabSize, ...alone });
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
      partOf(
        evaluator.evaluate({
          logits: joined(logits.toReversed(), logits),
          uniforms: joined(uniforms, uniforms),
          inputs: varying(graph, inputs).map((input) => joined(input, input)),
        }),
        1,
        2,
      ),
    [Symbol.dispose]: () => evaluator.dispose(),
  };
}

/** Three sequences, of which the second has other logits, with passes and without them. */
function openBundles(graph: Graph, vocabSize: number, columns: Given): OpenGraph {
  const { Graph: NativeGraph, Evaluator } = loadBinding();
  const native = new NativeGraph(encodeWire(graph), columns);
  const pairs = [true, false].map((fuse) =>
    [true, false].map(
      (bundle) => new Evaluator(native, { vocabSize, rows: 3, threads: bundle ? 2 : 1, fuse, bundles: bundle }),
    ),
  );
  const run: Run = (logits, uniforms, inputs = []) => {
    const values = {
      logits: joined(joined(logits, logits.toReversed()), logits),
      uniforms: joined(joined(uniforms, uniforms), uniforms),
      inputs: varying(graph, inputs).map((input) => joined(joined(input, input), input)),
    };
    const found = pairs.map(([bundled, alone]) => [bundled!.evaluate(values), alone!.evaluate(values)] as const);
    for (const [bundled, alone] of found)
      for (const [name, numbers] of Object.entries(alone as Record<string, Vector>))
        if (!bytesOf(numbers).equals(bytesOf((bundled as Record<string, Vector>)[name]!)))
          throw new Error(`bundles: expected the bits of the ops one by one, found others in \`${name}\``);
    return partOf(found[1]![0], 2, 3);
  };
  return { run, [Symbol.dispose]: () => pairs.flat().forEach((evaluator) => evaluator.dispose()) };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Vector): Buffer => Buffer.from(buffer, byteOffset, byteLength);

function joined<T extends Vector>(first: T, second: T): T {
  const both = new (first.constructor as new (size: number) => T)(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Those of one sequence of several. */
const partOf = (results: ChainResults, at: number, count: number): ChainResults =>
  Object.fromEntries(
    Object.entries(results as Record<string, Vector>).map(([name, all]) => {
      const size = all.length / count;
      return [name, all.slice(at * size, (at + 1) * size)];
    }),
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

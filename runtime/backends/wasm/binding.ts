/** The graphs, the evaluators and the engine of grammars of the native addon's interface (runtime/backends/native/binding.ts) in WebAssembly. */
import type {
  Binding,
  ChainResults,
  EvaluatorOptions,
  EvaluatorValues,
  InputValues,
  NativeEvaluator,
  NativeGraph,
} from "../native/binding.js";
import type { AutomatonBinding } from "../native/automatonBinding.js";
import { automatonBinding } from "./automaton.js";
import { checkedColumns, joinColumns } from "./columns.js";
import { Instance, nativeError, type Pointer } from "./instance.js";
import type { WasmModule } from "./webAssembly.js";

export type WasmBinding = Pick<Binding, "wireVersion" | "opNames" | "Graph" | "Evaluator"> & AutomatonBinding;

/** In ggsl_feed's numbering; the logits are input 0. */
const UNIFORMS = -1;

/** In ggsl_result's numbering. */
const RESULTS = ["sampled", "candidates", "logits", "probs", "states"] as const;

/** Memory never shrinks, so an instance that used more than this is discarded once it is empty. */
const KEPT_BYTES = 64 << 20;

/** Manages the instance of a module: one at a time, and a new one after a trap. */
class Host {
  private instance: Instance | undefined;
  private open = 0;
  private readonly forgotten = new FinalizationRegistry<Session>((session) => this.close(session));

  constructor(private readonly module: WasmModule) {}

  current(): Instance {
    if (!this.instance?.isAlive) {
      this.instance = new Instance(this.module);
      this.open = 0;
    }
    return this.instance;
  }

  openSession(owner: object, { words, columns }: GraphParts, vocabSize: number, rows: number): Session {
    const instance = this.current();
    const joined = joinColumns(columns);
    const at = instance.with(words, (graphAt) =>
      instance.with(joined, (columnsAt) =>
        instance.checked((e) =>
          e.ggsl_open(graphAt, words.length, vocabSize, rows, columnsAt, columns.length, columns[0]?.length ?? 0),
        ),
      ),
    );
    const session = { instance, at };
    this.entered(instance);
    this.forgotten.register(owner, session, session);
    return session;
  }

  entered(instance: Instance): void {
    if (instance === this.instance) this.open++;
  }
  left(instance: Instance): void {
    if (instance !== this.instance) return;
    this.open--;
    if (this.open === 0 && instance.bytes > KEPT_BYTES) this.instance = undefined;
  }

  close(session: Session): void {
    this.forgotten.unregister(session);
    if (session.instance.isAlive) session.instance.call((e) => e.ggsl_close(session.at));
    this.left(session.instance);
  }
}

type Words = Int32Array;

/** A graph in the wire form, and the columns of its constant inputs. */
interface GraphParts {
  readonly words: Words;
  readonly columns: readonly Float32Array[];
}

interface Session {
  readonly instance: Instance;
  readonly at: Pointer;
}

export function wasmBinding(module: WasmModule): WasmBinding {
  const host = new Host(module);
  const partsOf = new WeakMap<object, GraphParts>();

  class Graph implements NativeGraph {
    readonly size: NativeGraph["size"];

    constructor(words: Words, columns: readonly Float32Array[] = []) {
      if (!(words instanceof Int32Array)) throw nativeError("INVALID_ARGUMENT", "words: expected an Int32Array");
      const instance = host.current();
      const [uniforms, inputs, states, nodes] = instance.with(words, (at) =>
        instance.with(new Int32Array(4), (size) => {
          instance.checked((e) => e.ggsl_check(at, words.length, size));
          return instance.i32(size, 4).slice();
        }),
      ) as unknown as [number, number, number, number];
      this.size = { uniforms, inputs, states, nodes };
      partsOf.set(this, { words: words.slice(), columns: checkedColumns(columns) });
    }
  }

  class Evaluator implements NativeEvaluator {
    readonly nodes: number;
    readonly nodesWithoutViews: number;
    /** The CPU needs no rewrites. */
    readonly rewritten = [];
    private session: Session | undefined;

    constructor(graph: NativeGraph, { vocabSize, rows = 1, device = "CPU", threads = 1 }: EvaluatorOptions) {
      const parts = partsOf.get(graph);
      if (!parts) throw nativeError("INVALID_ARGUMENT", "graph: expected a Graph");
      checkInteger("vocabSize", vocabSize);
      checkInteger("rows", rows);
      if (device !== "CPU") throw nativeError("NO_DEVICE", `no device "${device}"; there are: CPU`);
      if (threads !== 1) throw nativeError("INVALID_ARGUMENT", `threads: expected 1, found ${threads}`);
      const session = host.openSession(this, parts, vocabSize, rows);
      this.session = session;
      this.nodes = session.instance.call((e) => e.ggsl_nodes(session.at));
      this.nodesWithoutViews = session.instance.call((e) => e.ggsl_nodes_without_views(session.at));
    }

    evaluate({ logits, uniforms, inputs = [] }: EvaluatorValues): ChainResults {
      if (!this.session) throw nativeError("DISPOSED", "this evaluator is disposed");
      const { session } = this;
      feed(session, 0, logits, "logits");
      feed(session, UNIFORMS, uniforms, "uniforms");
      inputs.forEach((values, i) => feed(session, i + 1, values, `input ${i + 1}`));
      session.instance.checked((e) => e.ggsl_run(session.at));
      return resultsOf(session);
    }

    dispose(): void {
      if (this.session) host.close(this.session);
      this.session = undefined;
    }
  }

  return {
    wireVersion: host.current().call((e) => e.ggsl_wire_version()),
    opNames: () => opNames(host.current()),
    Graph,
    Evaluator,
    ...automatonBinding(host),
  };
}

function opNames(instance: Instance): string[] {
  const names: string[] = [];
  for (let at = 1; at !== 0;) {
    at = instance.call((e) => e.ggsl_op_name(names.length));
    if (at !== 0) names.push(instance.text(at));
  }
  return names;
}

function feed({ instance, at }: Session, input: number, values: InputValues, what: string): void {
  const isF32 = values instanceof Float32Array;
  const isI32 = values instanceof Int32Array && input > 0;
  if (!isF32 && !isI32) throw nativeError("INVALID_ARGUMENT", `${what}: expected a Float32Array`);
  const memory = instance.checked((e) => e.ggsl_feed(at, input, isF32, values.length));
  (isF32 ? instance.f32(memory, values.length) : instance.i32(memory, values.length)).set(values);
}

function resultsOf({ instance, at }: Session): ChainResults {
  const entries = RESULTS.flatMap((name, which) => {
    const count = instance.call((e) => e.ggsl_result_count(at, which));
    if (count === 0) return [];
    const values = instance.call((e) => e.ggsl_result(at, which));
    const isI32 = name === "sampled" || name === "candidates";
    return [[name, isI32 ? instance.i32(values, count).slice() : instance.f32(values, count).slice()] as const];
  });
  return Object.fromEntries(entries);
}

function checkInteger(what: string, value: number): void {
  if ((value | 0) !== value) throw nativeError("INVALID_ARGUMENT", `${what}: expected an integer`);
}

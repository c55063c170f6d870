/** A context in the module's memory. The module computes on the thread that calls it. */
import { nextTask } from "../../../core/nextTask.js";
import type {
  Batch,
  ContextOptions,
  ContextStats,
  DecodeOutput,
  InputValues,
  NativeContext,
  NativeGraph,
} from "../../native/binding.js";
import { nativeError, type Pointer } from "../instance.js";
import type { LlamaExports } from "./exports.js";
import { checkInteger, Handle, type Handles } from "./handle.js";

/** In ggsl_output's numbering. */
const RESULTS = ["sampled", "candidates", "logits", "probs", "states", "raw"] as const;

/** What `ggsl_context_numbers` gives, in its order. */
const NUMBERS = [
  ...(["graphBuilds", "reserveBuilds", "probeBuilds", "setInputs", "nodes", "nodesWithoutViews"] as const),
  ...(["readbackBytes", "sequenceBytes", "cacheBytes", "uploadBytes", "columnBytes", "reads"] as const),
];
type Numbers = (typeof NUMBERS)[number];

export class LlamaContext implements NativeContext {
  readonly contextSize: number;
  private readonly handle: Handle;
  private isBusy = false;

  constructor(
    model: Handle,
    private readonly graphs: Handles,
    options: ContextOptions,
  ) {
    const { llama } = model;
    const chains = Int32Array.from(options.chains ?? [], (graph) => this.pointerOf(graph));
    const guides = Int32Array.from(chains, (_, i) => options.guides?.[i] ?? 0);
    const opened = llama.with(optionWords(options), (words) =>
      llama.with(chains, (list) =>
        llama.with(guides, (roles) =>
          model.checked((e, from) => e.ggsl_context_open(from, words, list, roles, chains.length)),
        ),
      ),
    );
    this.handle = new Handle(this, "context", llama, opened, (e, at) => e.ggsl_context_close(at));
    this.contextSize = this.handle.call((e, at) => e.ggsl_context_size(at));
  }

  async decode(batch: Batch): Promise<DecodeOutput[]> {
    const words = wordsOf(batch);
    this.idle();
    this.isBusy = true;
    try {
      // lets `abort`, new uniforms and other waiting tasks run before each batch
      await nextTask();
      if (this.handle.isDisposed) throw nativeError("ABORTED", "the context was disposed");
      const { llama } = this.handle;
      llama.with(words, (at) => this.handle.checked((e, context) => e.ggsl_decode(context, at, batch.tokens.length)));
      const count = this.handle.call((e, at) => e.ggsl_output_count(at));
      return Array.from({ length: count }, (_, i) => this.output(i));
    } finally {
      this.isBusy = false;
    }
  }

  setChain(sequence: number, graph: NativeGraph | null, isGuide = false): void {
    checkInteger("sequence", sequence);
    const pointer = this.pointerOf(graph);
    this.idle().checked((e, at) => e.ggsl_set_chain(at, sequence, pointer, isGuide));
  }
  setGuide(sequence: number, input: number, guide: number): void {
    checkInteger("sequence", sequence);
    checkInteger("input", input);
    checkInteger("guide", guide);
    this.idle().checked((e, at) => e.ggsl_set_guide(at, sequence, Math.max(0, input), guide));
  }
  setRows(rows: number, outputs: number): void {
    checkInteger("rows", rows);
    checkInteger("outputs", outputs);
    this.idle().checked((e, at) => e.ggsl_set_rows(at, rows, outputs));
  }
  setUniforms(sequence: number, values: Float32Array, row = 0): void {
    checkInteger("sequence", sequence);
    checkInteger("row", row);
    if (!(values instanceof Float32Array)) throw nativeError("INVALID_ARGUMENT", "uniforms: expected a Float32Array");
    this.send(values, (e, at, from) => e.ggsl_set_uniforms(at, sequence, from, values.length, Math.max(0, row)));
  }
  setInput(sequence: number, input: number, values: InputValues, row = 0): void {
    checkInteger("sequence", sequence);
    checkInteger("row", row);
    checkInteger("input", input);
    const isF32 = values instanceof Float32Array;
    if (!isF32 && !(values instanceof Int32Array))
      throw nativeError("INVALID_ARGUMENT", "values: expected a Float32Array or an Int32Array");
    const [index, at] = [Math.max(0, input), Math.max(0, row)];
    this.send(values, (e, context, from) => e.ggsl_set_input(context, sequence, index, isF32, from, values.length, at));
  }
  remove(sequence: number, from = 0): void {
    checkInteger("sequence", sequence);
    checkInteger("from", from);
    this.idle().checked((e, at) => e.ggsl_remove(at, sequence, from));
  }
  copy(from: number, to: number): void {
    checkInteger("from", from);
    checkInteger("to", to);
    this.idle().checked((e, at) => e.ggsl_copy(at, from, to));
  }
  canKeep(sequence: number, count: number): boolean {
    checkInteger("sequence", sequence);
    checkInteger("count", count);
    return this.idle().checked((e, at) => e.ggsl_can_keep(at, sequence, count)) === 2;
  }
  /** Does not stop a running batch: it blocks the thread, so no call can arrive. */
  abort(): void {
    if (this.isBusy && !this.handle.isDisposed) this.handle.call((e, at) => e.ggsl_abort(at));
  }
  /** Also while a batch waits for its task: no call can arrive while it is computed. */
  stats(): ContextStats {
    const values = this.handle.ask((e, at) => e.ggsl_context_numbers(at)).f64();
    const numbers = Object.fromEntries(NUMBERS.map((name, i) => [name, values[i]!])) as Pick<ContextStats, Numbers>;
    const devices = this.handle.ask((e, at) => e.ggsl_context_devices(at)).texts();
    return { ...numbers, devices, threads: 1, batchThreads: 1 };
  }
  dispose(): void {
    this.handle.dispose();
  }

  private idle(): Handle {
    if (this.isBusy) throw nativeError("BUSY", "this context is decoding: await the promise of decode() first");
    return this.handle;
  }

  private send(values: InputValues, set: (e: LlamaExports, at: Pointer, from: Pointer) => number): void {
    const handle = this.idle();
    handle.llama.with(values, (from) => handle.checked((e, at) => set(e, at, from)));
  }

  /** 0 for none. */
  private pointerOf(graph: NativeGraph | null): Pointer {
    if (graph === null) return 0;
    const handle = this.graphs.get(graph);
    if (!handle) throw nativeError("INVALID_ARGUMENT", "graph: expected a Graph of the model's own binding");
    return handle.at;
  }

  private output(index: number): DecodeOutput {
    const entries = RESULTS.flatMap((name, which) => {
      const given = this.handle.ask((e, at) => e.ggsl_output(at, index, which));
      const values = name === "sampled" || name === "candidates" ? given.i32() : given.f32();
      return values.length === 0 ? [] : [[name, values] as const];
    });
    const sequence = this.handle.call((e, at) => e.ggsl_output_sequence(at, index));
    return { ...(Object.fromEntries(entries) as Omit<DecodeOutput, "sequence">), sequence };
  }
}

/** In the order of ggsl_context_open. */
function optionWords(options: ContextOptions): Int32Array {
  const { contextSize = 0, batchSize = 512, sequences = 1, threads = 0, batchThreads = 0 } = options;
  const { rows = 1, outputs = 0 } = options;
  const { cacheTypeK = "f16", cacheTypeV = "f16", flashAttention = "auto" } = options;
  const { placement = "graph", checkLogits = false, cache = "auto" } = options;
  checkInteger("contextSize", contextSize);
  checkInteger("batchSize", batchSize);
  checkInteger("sequences", sequences);
  checkInteger("rows", rows);
  checkInteger("outputs", outputs);
  for (const [name, value] of Object.entries({ threads, batchThreads }))
    if (value !== 0 && value !== 1)
      throw nativeError("INVALID_ARGUMENT", `${name}: expected 1 in WebAssembly, found ${value}`);
  for (const [name, value] of Object.entries({ cacheTypeK, cacheTypeV }))
    if (value !== "f16")
      throw nativeError("INVALID_ARGUMENT", `${name}: expected f16 in WebAssembly, found "${value}"`);
  if (flashAttention !== "auto")
    throw nativeError("INVALID_ARGUMENT", `flashAttention: expected auto in WebAssembly, found "${flashAttention}"`);
  if (placement !== "graph" && placement !== "host")
    throw nativeError("INVALID_ARGUMENT", `placement: expected "graph" or "host", found "${String(placement)}"`);
  if (cache !== "auto" && cache !== "shared")
    throw nativeError("INVALID_ARGUMENT", `cache: expected auto or shared, found "${String(cache)}"`);
  if (typeof checkLogits !== "boolean") throw nativeError("INVALID_ARGUMENT", "checkLogits: expected a boolean");
  const flags = [placement === "host", checkLogits].map(Number);
  return Int32Array.from([contextSize, batchSize, sequences, ...flags, rows, outputs, Number(cache === "shared")]);
}

/** In the order of ggsl_decode. */
function wordsOf({ tokens, positions, sequences, outputs }: Batch): Int32Array {
  const columns = [tokens, positions, sequences, outputs];
  if (columns.some(({ length }) => length !== tokens.length))
    throw nativeError("INVALID_ARGUMENT", "tokens, positions, sequences and outputs have different lengths");
  const words = new Int32Array(4 * tokens.length);
  columns.forEach((column, i) => words.set(column, i * tokens.length));
  return words;
}

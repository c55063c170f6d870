/** A context in the child. What only sets something is sent with the next batch, in order. */
import { InputError } from "../../core/errors.js";
import type { Batch, ContextStats, DecodeOutput, InputValues, NativeContext, NativeGraph } from "../native/binding.js";
import { failedCall, type RemoteProcess } from "./child.js";
import type { RemoteGraph } from "./graph.js";
import type { Call } from "./protocol.js";

/** What the child says of a context after each batch. */
export const REPORT = ["stats", "extents"] as const;

export class RemoteContext implements NativeContext {
  /** What is sent with the next batch. */
  #calls: Call[] = [];
  #stats: ContextStats;
  /** Of each sequence the tokens that it holds, and the least number that it can be cut to. */
  #extents: Int32Array;
  #isBusy = false;
  #isDisposed = false;
  readonly hasFollowers = true;
  /** Chains that the child refused, by sequence. */
  readonly #refused = new Map<number, unknown>();

  constructor(
    private readonly process: RemoteProcess,
    private readonly handle: number,
    readonly contextSize: number,
    [stats, extents]: readonly unknown[],
  ) {
    this.#stats = stats as ContextStats;
    this.#extents = extents as Int32Array;
  }

  async decode(batch: Batch): Promise<DecodeOutput[]> {
    this.#idle();
    const following = batch.followers?.filter((_, i) => i % 2 === 0) ?? [];
    const refused = [...batch.sequences, ...following].find((sequence) => this.#refused.has(sequence));
    if (refused !== undefined) throw this.#refused.get(refused);
    const set = this.#calls;
    this.#calls = [];
    this.#isBusy = true;
    try {
      const asked = ["decode", ...REPORT].map((call) => ({
        on: this.handle,
        call,
        ...(call === "decode" && { args: [batch] }),
      }));
      const results = await this.process.ask([...set, ...asked]);
      const [outputs, stats, extents] = results.slice(set.length);
      this.#stats = stats as ContextStats;
      this.#extents = extents as Int32Array;
      return outputs as DecodeOutput[];
    } catch (error) {
      const failed = set[failedCall(error) ?? -1];
      if (failed?.call === "setChain") this.#refused.set(failed.args![0] as number, error);
      throw error;
    } finally {
      this.#isBusy = false;
    }
  }

  setChain(sequence: number, graph: NativeGraph | null, isGuide = false): void {
    this.#idle();
    this.#refused.delete(sequence);
    if (graph) for (const one of (graph as RemoteGraph).made()) this.#calls.push(one);
    this.#set("setChain", sequence, graph && { $: (graph as RemoteGraph).handle }, isGuide);
  }

  setGuide(sequence: number, input: number, guide: number): void {
    this.#set("setGuide", sequence, input, guide);
  }

  setUniforms(sequence: number, values: Float32Array, row = 0): void {
    this.#set("setUniforms", sequence, values.slice(), row);
  }

  setInput(sequence: number, input: number, values: InputValues, row = 0): void {
    this.#set("setInput", sequence, input, values.slice(), row);
  }

  setRows(rows: number, outputs: number): void {
    this.#set("setRows", rows, outputs);
  }

  remove(sequence: number, from = 0): void {
    this.#set("remove", sequence, from);
    this.#extents[2 * sequence] = Math.min(this.#extents[2 * sequence]!, from);
  }

  copy(from: number, to: number): void {
    this.#set("copy", from, to);
    this.#extents.copyWithin(2 * to, 2 * from, 2 * from + 2);
  }

  canKeep(sequence: number, count: number): boolean {
    this.#idle();
    const [held, least] = this.#extents.subarray(2 * sequence, 2 * sequence + 2);
    return count === 0 || (count >= least! && count <= held!);
  }

  abort(): void {
    if (this.#isBusy) this.process.tell([{ on: this.handle, call: "abort" }]);
  }

  stats(): ContextStats {
    return this.#stats;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.process.tell([{ on: this.handle, call: "dispose" }]);
    this.process.forget(this.handle);
  }

  #set(call: string, ...args: readonly unknown[]): void {
    this.#idle();
    this.#calls.push({ on: this.handle, call, args });
  }

  #idle(): void {
    if (this.#isDisposed) throw new InputError("this context is disposed", { code: "DISPOSED" });
    if (this.#isBusy)
      throw new InputError("this context is decoding: await the promise of decode() first", { code: "BUSY" });
    this.process.check();
  }
}

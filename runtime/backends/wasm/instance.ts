/** One instance of the module: its functions, its memory, and whether it has trapped. */
import type { NativeError, NativeErrorCode } from "../native/binding.js";
import { createSystem, type System } from "./system.js";
import { webAssembly, type WasmMemory, type WasmModule } from "./webAssembly.js";

/** An address in the module's memory; 0 means a failure, whose code and message the module keeps. */
export type Pointer = number;

/** What every module exports; see native/wasm/failure_text.cc. */
export interface CommonExports {
  readonly memory: WasmMemory;
  _initialize(): void;
  ggsl_failure_code(): Pointer;
  ggsl_failure_message(): Pointer;
  ggsl_wire_version(): number;
  ggsl_allocate(words: number): Pointer;
  ggsl_release(words: Pointer): void;
}

/** What native/wasm/evaluator.cc exports. */
export interface Exports extends CommonExports {
  ggsl_op_name(index: number): Pointer;
  ggsl_check(words: Pointer, count: number, size: Pointer): number;
  ggsl_open(
    words: Pointer,
    count: number,
    vocabSize: number,
    rows: number,
    columns: Pointer,
    columnCount: number,
    columnSize: number,
  ): Pointer;
  ggsl_close(session: Pointer): void;
  ggsl_nodes(session: Pointer): number;
  ggsl_nodes_without_views(session: Pointer): number;
  ggsl_feed(session: Pointer, input: number, isF32: boolean, count: number): Pointer;
  ggsl_run(session: Pointer): number;
  ggsl_result(session: Pointer, which: number): Pointer;
  ggsl_result_count(session: Pointer, which: number): number;
}

export const nativeError = (code: NativeErrorCode, message: string): NativeError =>
  Object.assign(new Error(message), { code });

export class Instance<E extends CommonExports = Exports> {
  private readonly exports: E;
  private readonly system: System;
  private fault: string | undefined;

  constructor(module: WasmModule) {
    this.system = createSystem(() => this.exports.memory);
    this.exports = new webAssembly.Instance(module, this.system.imports).exports as E;
    this.exports._initialize();
  }

  /** False after a trap: the memory may be in any state. */
  get isAlive(): boolean {
    return this.fault === undefined;
  }

  get bytes(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** Calls functions of the module. They do not throw: any exception is a trap, such as a failed assertion. */
  call<T>(work: (exports: E) => T): T {
    if (this.fault !== undefined) throw nativeError("DISPOSED", `the WebAssembly module failed: ${this.fault}`);
    this.system.takeText();
    try {
      return work(this.exports);
    } catch (error) {
      this.fault = this.system.takeText() || (error as Error).message;
      throw nativeError("COMPUTE_FAILED", this.fault);
    }
  }

  /** The same for functions that return 0 on failure; throws the failure. */
  checked(work: (exports: E) => number): number {
    const result = this.call(work);
    if (result !== 0) return result;
    const [code, message] = this.call((e) => [e.ggsl_failure_code(), e.ggsl_failure_message()] as const);
    throw nativeError(this.text(code) as NativeErrorCode, this.text(message));
  }

  /** Views of numbers in memory, valid until the next call. */
  u8(at: Pointer, count: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, at, count);
  }
  i32(at: Pointer, count: number): Int32Array {
    return new Int32Array(this.exports.memory.buffer, at, count);
  }
  f32(at: Pointer, count: number): Float32Array {
    return new Float32Array(this.exports.memory.buffer, at, count);
  }
  f64(at: Pointer, count: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, at, count);
  }

  /** A zero-terminated string. */
  text(at: Pointer): string {
    const bytes = new Uint8Array(this.exports.memory.buffer, at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }
}

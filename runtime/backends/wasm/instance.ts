/** One instance of the module: its functions, its memory, and whether it has trapped. */
import type { NativeError, NativeErrorCode } from "../native/binding.js";
import type { CommonExports, Exports, Pointer } from "./exports.js";
import { createSystem, type System } from "./system.js";
import { webAssembly, type WasmModule } from "./webAssembly.js";

export type { Pointer } from "./exports.js";

/** Arrays of numbers in the layout of the module's memory. */
type Numbers = Uint8Array | Int32Array | Uint32Array | Float32Array;

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

  /** Copies numbers into the memory while `work` runs. */
  with<T>(values: Numbers, work: (at: Pointer) => T): T {
    const at = this.checked((e) => e.ggsl_allocate(Math.max(1, Math.ceil(values.byteLength / 4))));
    this.u8(at, values.byteLength).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    try {
      return work(at);
    } finally {
      if (this.isAlive) this.call((e) => e.ggsl_release(at));
    }
  }

  /** Views of numbers in memory, valid until the next call. */
  u8(at: Pointer, count: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, at, count);
  }
  i32(at: Pointer, count: number): Int32Array {
    return new Int32Array(this.exports.memory.buffer, at, count);
  }
  u32(at: Pointer, count: number): Uint32Array {
    return new Uint32Array(this.exports.memory.buffer, at, count);
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

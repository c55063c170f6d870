/** The module with llama.cpp: arguments, results, and handles of objects in its memory. */
import { Instance, nativeError, type Pointer } from "../instance.js";
import type { LlamaExports } from "./exports.js";

/** Arrays of numbers in the layout of the module's memory. */
type Numbers = Uint8Array | Int32Array | Float32Array;

export class Llama extends Instance<LlamaExports> {
  /** A copy of the latest result of a function that "gives" one. */
  get given() {
    const [at, bytes] = this.call((e) => [e.ggsl_given(), e.ggsl_given_bytes()] as const);
    return {
      bytes: () => this.u8(at, bytes).slice(),
      i32: () => this.i32(at, bytes / 4).slice(),
      f32: () => this.f32(at, bytes / 4).slice(),
      f64: () => this.f64(at, bytes / 8).slice(),
      texts: () => new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.u8(at, bytes)).split("\0").slice(0, -1),
    };
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

  withText<T>(text: string, work: (at: Pointer, length: number) => T): T {
    const bytes = new TextEncoder().encode(text);
    return this.with(bytes, (at) => work(at, bytes.length));
  }
}

type Close = (exports: LlamaExports, at: Pointer) => void;

interface Held {
  readonly llama: Llama;
  readonly at: Pointer;
  readonly close: Close;
}

function free({ llama, at, close }: Held): void {
  if (llama.isAlive) llama.call((e) => close(e, at));
}

/** Frees objects that were garbage-collected without `dispose`. */
const forgotten = new FinalizationRegistry<Held>(free);

/** An object in the module's memory. */
export class Handle {
  private held: Held | undefined;

  /** @param what its name in errors */
  constructor(
    owner: object,
    private readonly what: string,
    llama: Llama,
    at: Pointer,
    close: Close,
  ) {
    this.held = { llama, at, close };
    forgotten.register(owner, this.held, this);
  }

  get isDisposed(): boolean {
    return this.held === undefined;
  }

  get llama(): Llama {
    return this.open.llama;
  }
  get at(): Pointer {
    return this.open.at;
  }

  /** Calls a function that returns 0 on failure, and returns what it gives. */
  ask(work: (exports: LlamaExports, at: Pointer) => number): Llama["given"] {
    this.checked(work);
    return this.llama.given;
  }

  call<T>(work: (exports: LlamaExports, at: Pointer) => T): T {
    const { llama, at } = this.open;
    return llama.call((e) => work(e, at));
  }
  checked(work: (exports: LlamaExports, at: Pointer) => number): number {
    const { llama, at } = this.open;
    return llama.checked((e) => work(e, at));
  }

  /** Frees the memory; harmless when called twice. */
  dispose(): void {
    const { held } = this;
    this.held = undefined;
    forgotten.unregister(this);
    if (held) free(held);
  }

  private get open(): Held {
    if (!this.held) throw nativeError("DISPOSED", `this ${this.what} is disposed`);
    return this.held;
  }
}

export function checkInteger(what: string, value: number): number {
  if ((value | 0) !== value) throw nativeError("INVALID_ARGUMENT", `${what}: expected an integer, found ${value}`);
  return value;
}

/** The handles of graphs or models by their wrapper objects, to pass them to other objects of the same instance. */
export type Handles = WeakMap<object, Handle>;

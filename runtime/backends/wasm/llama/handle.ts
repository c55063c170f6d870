/** The module with llama.cpp: arguments, results, and handles of objects in its memory. */
import { Instance, nativeError, type Pointer } from "../instance.js";
import { Owned } from "../owned.js";
import type { LlamaExports } from "./exports.js";

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

  withText<T>(text: string, work: (at: Pointer, length: number) => T): T {
    const bytes = new TextEncoder().encode(text);
    return this.with(bytes, (at) => work(at, bytes.length));
  }
}

/** An object in the module's memory. */
export class Handle extends Owned<LlamaExports, Llama> {
  get llama(): Llama {
    return this.instance;
  }

  /** Calls a function that returns 0 on failure, and returns what it gives. */
  ask(work: (exports: LlamaExports, at: Pointer) => number): Llama["given"] {
    this.checked(work);
    return this.llama.given;
  }
}

export function checkInteger(what: string, value: number): number {
  if ((value | 0) !== value) throw nativeError("INVALID_ARGUMENT", `${what}: expected an integer, found ${value}`);
  return value;
}

/** The handles of graphs or models by their wrapper objects, to pass them to other objects of the same instance. */
export type Handles = WeakMap<object, Handle>;

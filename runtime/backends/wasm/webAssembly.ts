/** A compiled module: a `WebAssembly.Module`, which Node.js's types lack. */
export interface WasmModule {
  readonly __module?: never;
}

export interface WasmMemory {
  /** Replaced whenever the memory grows. */
  readonly buffer: ArrayBuffer;
}

/** The used part of JavaScript's WebAssembly interface. */
interface Api {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: unknown };
}

export const { WebAssembly: webAssembly } = globalThis as unknown as { readonly WebAssembly: Api };

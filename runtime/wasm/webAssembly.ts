/** The part of JavaScript's WebAssembly interface that is used here: Node.js's types lack it. */
export interface WasmModule {
  readonly __module?: never;
}

export interface WasmMemory {
  /** Another one after the memory has grown. */
  readonly buffer: ArrayBuffer;
}

interface Api {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: unknown };
}

export const { WebAssembly: webAssembly } = globalThis as unknown as { readonly WebAssembly: Api };

/** Where an instance's stack lies in its memory, in bytes. */
export declare const STACK: readonly [low: number, high: number];
/** The package's exports, with no instance started; see tools/lib/xgrammar.ts. */
export declare function library(scope: { readonly WebAssembly: object; readonly console: object }): unknown;

/** What the modules export. Results of 0 are failures where `Instance.checked` is used. */
import type { WasmMemory } from "./webAssembly.js";

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

/** What native/wasm/automaton.cc exports. */
export interface AutomatonExports extends CommonExports {
  ggsl_trie_open(
    bytes: Pointer,
    byteCount: number,
    offsets: Pointer,
    offsetCount: number,
    ends: Pointer,
    endCount: number,
  ): Pointer;
  ggsl_trie_close(trie: Pointer): void;
  /** Of a mask. */
  ggsl_trie_words(trie: Pointer): number;
  ggsl_automaton_open(trie: Pointer, words: Pointer, count: number): Pointer;
  ggsl_automaton_close(automaton: Pointer): void;
  ggsl_automaton_bytes(automaton: Pointer): number;
  ggsl_position_begin(automaton: Pointer): Pointer;
  ggsl_position_close(position: Pointer): void;
  ggsl_position_may_end(position: Pointer): number;
  ggsl_position_marks(position: Pointer): number;
  ggsl_position_allowed(position: Pointer): Pointer;
  /** The position itself for a token that may not come next. */
  ggsl_position_after(position: Pointer, token: number): Pointer;
}

/** What native/wasm/evaluator.cc exports. */
export interface Exports extends AutomatonExports {
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

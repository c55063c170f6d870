/** Starts threads of the grammars. */
import { grammarWorkerPath } from "../../core/root.js";
import type { ThreadScript } from "../../core/threads.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import type { EngineOptions } from "../xgrammar/engine.js";

interface GrammarThread {
  readonly heapMegabytes?: number;
  /** Counts messages of the thread, for one that waits for them. */
  readonly counter?: Int32Array;
}

export function grammarThread(engine: EngineOptions, given: GrammarThread = {}): ThreadScript {
  const { heapMegabytes = GRAMMAR_LIMITS.heapMegabytes, counter = new Int32Array(new SharedArrayBuffer(4)) } = given;
  return { file: grammarWorkerPath(), data: { counter, engine }, heapMegabytes };
}

export const OUT_OF_HEAP = "it needs more memory than its thread has";

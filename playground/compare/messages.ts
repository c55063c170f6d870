/** Messages between the page and its worker: plain data that can be cloned between threads. */
import type { Comparison } from "ggsl/compare/comparison.js";
import type { Access } from "../server/connection.js";

/** What is to be compared. */
export interface Task {
  /** Programs, of which all chains that pick a token are compared, and pipelines of standard samplers. */
  readonly programs: readonly string[];
  readonly prompt: string;
  readonly texts: number;
  readonly tokens: number;
  readonly seed: number;
  /** The server whose model writes; absent: the demo model in the page. */
  readonly server?: Access;
}

export type Request = { readonly kind: "compare"; readonly task: Task } | { readonly kind: "cancel" };

/** The answers to a task, in this order; `failed` can replace each, and is the last one. */
export type Answer =
  | { readonly kind: "compiled"; readonly notes: readonly string[] }
  | { readonly kind: "loaded" }
  /** With the texts that have ended, if there are new ones. */
  | { readonly kind: "progress"; readonly fraction: number; readonly comparison?: Comparison }
  | { readonly kind: "done"; readonly comparison: Comparison }
  | { readonly kind: "stopped"; readonly comparison?: Comparison }
  /** `isInput`: an error in what was given; otherwise a fault of the page. */
  | { readonly kind: "failed"; readonly message: string; readonly isInput: boolean };

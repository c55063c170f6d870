/** What a generator of hostile input consists of. */
import type * as fc from "fast-check";

/**
 * Cases are JSON, because they are made in one process and run in another. A generator has one file in `generators` and an entry
 * in `generators/index.ts`.
 */
export interface Generator<Case = unknown> {
  readonly name: string;
  readonly doc: string;
  readonly cases: fc.Arbitrary<Case>;
  /**
   * Runs a case in the worker. It may throw a declared error (`faults.ts`); any other error is a fault, and so is a `Wrong`.
   */
  run(c: Case): unknown;
  /** Smaller cases that may have the same fault, the smallest first. */
  smaller(c: Case): Iterable<Case>;
  /** The input itself, for a reader, with the ending of its file name; absent if JSON says it best. */
  show?(c: Case): { readonly ending: string; readonly text: string };
  /** Cases with one fault: after the first of a group, others of it are skipped. Absent: none are. */
  group?(c: Case): string;
  /** Seconds of processor time that a case may take; default 1. */
  readonly seconds?: number;
  /** Bytes of memory by which the worker may grow during a case; default 500 MiB. */
  readonly bytes?: number;
}

/** A result that is wrong although no error was thrown. */
export class Wrong extends Error {
  override readonly name = "Wrong";
}

export const defineGenerator = <Case>(generator: Generator<Case>): Generator => generator;

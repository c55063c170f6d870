/** Writes damaged specs to its output, each ended by a zero byte: `node test/c/damaged.ts COUNT SEED`. */
import * as fc from "fast-check";
import { writeSync } from "node:fs";
import { specs } from "../fuzz/generators/specs.js";

const [count, seed] = process.argv.slice(2).map(Number);

function writeAll(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      // the reader is slower
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

fc.assert(
  fc.property(specs.cases, (c) => writeAll(Buffer.from(`${specs.show!(c).text}\0`))),
  { seed: seed!, numRuns: count! },
);

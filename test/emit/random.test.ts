/** Random programs in onnxruntime-node, compared with the reference; `npm run random -- --onnx` runs more of them. */
import { expect, test } from "@jest/globals";
import { OPTIMIZED, PLAIN } from "../random/compile.js";
import { printTally, runCases, type Tally } from "../random/run.js";
import { ONNX_COUNT, SEED, SKIPPED } from "../random/settings.js";

/** Largest shares of programs that differ by ties, and by rounding; more for chance when there are few programs. */
const MOST_TIED = 0.1;
const MOST_ROUNDED = 0.03;
const FEW = 3;

test.each([OPTIMIZED, PLAIN])(
  "random programs give the reference's results, $name",
  (across) => {
    const print = (found: Tally): void => printTally(`seed ${SEED}, ONNX, ${across.name}`, found);
    const tally = runCases({
      backends: ["reference", "onnx"],
      count: ONNX_COUNT,
      skipped: SKIPPED,
      seed: SEED,
      across,
      builds: [],
      comparesMeaning: false,
      onProgress: print,
    });
    print(tally);
    expect(tally.failures.slice(0, 3).join("\n\n")).toBe("");
    expect(tally.programs).toBe(ONNX_COUNT);
    expect(tally.tiedPrograms).toBeLessThanOrEqual(FEW + MOST_TIED * ONNX_COUNT);
    expect(tally.roundedPrograms).toBeLessThanOrEqual(FEW + MOST_ROUNDED * ONNX_COUNT);
  },
  60_000 + 1000 * ONNX_COUNT,
);

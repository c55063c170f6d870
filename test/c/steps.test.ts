/** Random programs in the C library and in TypeScript. */
import { expect, test } from "@jest/globals";
import { compareCases } from "./steps.js";

/** Set by `npm run random -- --c`. */
const COUNT = Number(process.env["GGSL_C_COUNT"] ?? 60);
const SEED = Number(process.env["GGSL_RANDOM_SEED"] ?? 20261123);

test(
  "the C library computes the same uniforms and inputs, to the bit",
  () => {
    const tally = compareCases(COUNT, SEED, (so) =>
      process.stdout.write(`${JSON.stringify({ ...so, failures: so.failures.length })}\n`),
    );
    expect(tally.failures.slice(0, 3).join("\n\n")).toBe("");
    expect(tally.steps).toBeGreaterThan(0);
    expect(tally.refused + tally.unsupported).toBeLessThanOrEqual(3 + 0.1 * COUNT);
  },
  60_000 + 1000 * COUNT,
);

/** Random programs: no NaN, no row that was -inf, at least one row left; and the backends agree. */
import { afterAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { Graph } from "../../compiler/graph/graph.js";
import { BACKENDS } from "../parity/backends.js";
import { faultOf } from "../parity/compare.js";
import { logitsSpecs, makeLogits, type LogitsSpec } from "../parity/logits.js";
import { random } from "../parity/random.js";
import { descending, rowsOfGraph, type Rows } from "../parity/rows.js";
import { CASES, SEED } from "../parity/settings.js";
import { generateBody } from "./generator.js";
import { compileBody, evaluateGraph, rowsAfter } from "./run.js";

interface Program {
  readonly seed: number;
  readonly length: number;
  readonly logits: LogitsSpec;
}

const programs: fc.Arbitrary<Program> = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
  length: fc.integer({ min: 1, max: 8 }),
  logits: logitsSpecs(fc.integer({ min: 2, max: 200 })),
});

const counts = { programs: 0, equal: 0, tied: 0, unstable: 0 };
afterAll(() => {
  process.stdout.write(`random programs, seed ${SEED}: ${JSON.stringify(counts)}\n`);
});

const forEachProgram = (check: (graph: Graph, body: readonly string[], logits: Float32Array) => void): void => {
  fc.assert(
    fc.property(programs, ({ seed, length, logits }): void => {
      const body = generateBody(seed, length);
      try {
        check(compileBody(...body), body, makeLogits(logits));
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${body.join("\n")}`);
      }
    }),
    { seed: SEED, numRuns: Math.ceil(CASES / 2) },
  );
};

test.each(BACKENDS)("no program gives a NaN, revives a dropped row or drops all rows, on %s", (backend) => {
  forEachProgram((graph, _, logits) => {
    expect(faultOf(rowsAfter(graph, logits, backend), logits)).toBeUndefined();
  });
});

test.each(BACKENDS)("every program picks a row that is left, on %s", (backend) => {
  forEachProgram((_, body, logits) => {
    const results = evaluateGraph(compileBody(...body, "pick sample(7)"), logits, backend);
    const sampled = typeof results.sampled === "number" ? results.sampled : results.sampled![0]!;
    const { tokens, probs } = rowsOfGraph(results);
    expect(tokens).toContain(sampled);
    expect(probs[tokens.indexOf(sampled)]).toBeGreaterThan(0);
  });
});

/** Largest difference of a token's probability. */
function distance(a: Rows, b: Rows): number {
  const shares = new Map(a.tokens.map((t, i) => [t, a.probs[i]!]));
  b.tokens.forEach((t, i) => shares.set(t, (shares.get(t) ?? 2) - b.probs[i]!));
  return a.tokens.length === b.tokens.length ? Math.max(...[...shares.values()].map(Math.abs)) : Infinity;
}

/** Whether slightly different logits give the same result: if not, rounding decides it. */
function isStable(graph: Graph, logits: Float32Array, rows: Rows): boolean {
  return [1, 2, 3, 4].every((seed) => {
    const r = random(seed);
    const nudged = logits.map((x) => x * (1 + 1e-6 * r.normal()) + (Number.isFinite(x) ? 1e-7 * r.normal() : 0));
    return distance(rows, rowsAfter(graph, nudged, "reference")) < 1e-3;
  });
}

/** The key by which a statement ranks rows: for `keep` it is the logit. */
const keyOf = (statement: string): string | undefined =>
  /^(?:sort|top \w+) by (.*?)(?: asc| desc)?$/.exec(statement)?.[1] ??
  (/\b(?:sort|top|keep)\b/.test(statement) ? "logit" : undefined);

/** Whether some statement ranks rows that nearly tie: their order depends on the device. */
function hasTies(body: readonly string[], logits: Float32Array): boolean {
  return body.some((statement, i) => {
    const key = keyOf(statement);
    if (key === undefined) return false;
    const keys = descending(rowsAfter(compileBody(...body.slice(0, i), `logit = ${key}`), logits, "reference").logits);
    return keys.some((x, n) => n > 0 && keys[n - 1]! - x <= 1e-6 * Math.abs(x));
  });
}

test("the backends agree", () => {
  forEachProgram((graph, body, logits) => {
    counts.programs++;
    const rows = rowsAfter(graph, logits, "reference");
    const d = distance(rows, rowsAfter(graph, logits, "cpu"));
    if (d <= 1e-5) counts.equal++;
    else if (hasTies(body, logits)) counts.tied++;
    else if (!isStable(graph, logits, rows)) counts.unstable++;
    else expect(d).toBeLessThanOrEqual(1e-5);
  });
  expect(counts.tied + counts.unstable).toBeLessThan(0.15 * counts.programs);
});

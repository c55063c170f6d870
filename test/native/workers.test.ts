/** Threads and processes that end while the addon works. */
import { describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { DEMO_MODEL } from "../model/file.js";

function runProgram(...args: string[]): { status: number | string; stdout: string; stderr: string } {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status: status ?? signal ?? "unknown", stdout, stderr };
}

interface Found {
  readonly expected: readonly number[];
  /** Texts of the main thread that differ. */
  readonly others: readonly unknown[];
  readonly texts: number;
  readonly ended: Readonly<Record<string, number>>;
  readonly errors: readonly string[];
}

const KINDS = ["generate", "host", "queued", "batch", "evaluate", "loadModel", "logits", "tail", "idle", "exit"];
/** Workers end at random moments: one of each kind, or more of them and more moments with `GGSL_WHOLE=1`. */
const isWhole = process.env["GGSL_WHOLE"] === "1";
const ROUNDS = isWhole ? 4 : 1;
const MOMENTS = isWhole ? [0, 5, 10, 15, 20, 30, 40, 50] : [0, 10, 20, 40];

test("a worker that ends while it uses the addon leaves the other threads alone", () => {
  const program = ["test/native/workers.mjs", `${ROUNDS * KINDS.length}`, DEMO_MODEL, KINDS.join()];
  const { status, stdout, stderr } = runProgram(...program);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const { expected, others, texts, ended, errors } = JSON.parse(stdout) as Found;
  expect(errors).toEqual([]);
  expect(ended).toEqual(Object.fromEntries(KINDS.map((kind) => [kind, ROUNDS])));
  expect(expected).toHaveLength(40);
  expect(texts).toBeGreaterThan(0);
  expect(others).toEqual([]);
});

describe("process.exit() while generations run", () => {
  test.each(MOMENTS)("after %d ms", (milliseconds) => {
    const { status, stderr } = runProgram("test/native/exit.mjs", DEMO_MODEL, `${milliseconds}`);
    expect({ status, stderr }).toEqual({ status: 7, stderr: "" });
  });
});

/** Chains as the sampler of transformers.js: real texts of a small model, against the reference interpreter on calculated logits. */
import { beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Report {
  readonly texts: readonly {
    readonly stages: string;
    readonly found: readonly (readonly number[])[];
    readonly again: readonly (readonly number[])[];
    readonly expected: readonly (readonly number[])[];
  }[];
  /** Tokens among the first ones of 30 texts. */
  readonly distinct: { readonly all: number; readonly min_p: number; readonly top_p: number };
  /** The same by transformers.js's own sampler. */
  readonly own: { readonly min_p: number; readonly top_p: number };
  readonly differ: boolean;
  readonly stopped: { readonly found: readonly number[]; readonly wanted: readonly number[]; readonly name: string };
  readonly faults: readonly string[];
}

let report: Report;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-transformers-"));
  const args = ["--conditions=@ggsl/source", "--import", "tsx", "test/emit/transformers.mjs", folder];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Error(stderr);
  report = JSON.parse(stdout) as Report;
});

test("texts of a batch are those of the reference, and the same again", () => {
  expect(report.texts).toHaveLength(4);
  for (const { stages, found, again, expected } of report.texts) {
    expect([stages, found]).toEqual([stages, expected]);
    expect([stages, again]).toEqual([stages, expected]);
  }
});

test("a stop of the chain ends the text, with its criteria", () => {
  const { found, wanted, name } = report.stopped;
  expect(found).toEqual(wanted);
  expect(name).toBe("five");
});

test("min_p and top_p cut rows off", () => {
  const { all, min_p: minP, top_p: topP } = report.distinct;
  expect(all).toBeGreaterThan(10);
  expect([minP, topP]).toEqual([1, 1]);
});

test("transformers.js itself ignores both: if this fails, docs/transformers.md is out of date", () => {
  const { min_p: minP, top_p: topP } = report.own;
  expect(Math.min(minP, topP)).toBeGreaterThan(10);
});

test("each text of a batch can have options of its own", () => {
  expect(report.differ).toBe(true);
});

test("wrong uses are errors", () => {
  expect(report.faults).toEqual([
    expect.stringMatching(
      /^INVALID_ARGUMENT: text 0 has 3 tokens, expected 27, .* use a processor of its own for each call/,
    ),
    "DISPOSED: this processor is disposed",
    expect.stringMatching(/^INVALID_ARGUMENT: the chain `.*` does not pick a token/),
    expect.stringMatching(/^INVALID_ARGUMENT: the chain `.*` has phrases .* transformers.js takes no text back/),
    expect.stringMatching(/^INVALID_ARGUMENT: `padToken` must be an integer from 0, found -1/),
    expect.stringMatching(/^INVALID_ARGUMENT: `backend` must be one of/),
  ]);
});

/** A model's own advice: what a real GGUF says by its `general.sampling.*` keys is the chain when none is given. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSamplingAdvice } from "../../settings/from/advice.js";
import { DEMO_MODEL } from "../model/demo.js";
import { loadOracle } from "../native/oracle.js";
import { warm } from "../cli/warm/warm.js";
import type { Result } from "../codegen/ggsl.js";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "ggsl-advice-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const keys = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`general.sampling.${key}`, value]));

test("the program is the one that `ggsl import` makes, with llama.cpp's defaults for what the keys leave open", () => {
  const { text, notes } = readSamplingAdvice(keys({ temp: "0.600000", top_k: "20", sequence: "top_k;nope;temp" }));
  expect(text)
    .toBe(`// The sampling settings of llama.cpp v0.5.0, the \`general.sampling.*\` keys of a model's file, imported from the model's
// metadata.
//
// No effect in the other tool either:
// - general.sampling.sequence (the model's metadata): llama.cpp ignores samplers that it does not know: "nope"

import { top_k, temp, dist } from "std"

chain imported(static top_k: i32 = 20, temperature: f32 >= 0 = 0.6) = top_k(top_k) |> temp(temperature) |> dist()
`);
  expect(notes).toMatchObject([{ kind: "idle", key: "general.sampling.sequence" }]);
});

test("a bad value is a fault, unknown keys are named, no keys are no advice", () => {
  expect(readSamplingAdvice(keys({ temp: "hot" }))).toEqual({
    notes: [],
    fault: `the model's metadata: "general.sampling.temp" must be a finite number, found "hot"`,
  });
  const unknown = readSamplingAdvice({ ...keys({ mood: "good" }), "general.name": "x" });
  expect(unknown.notes).toMatchObject([{ kind: "unknown", key: "general.sampling.mood" }]);
  expect(Object.keys(unknown)).toEqual(["notes"]);
  expect(readSamplingAdvice({ "general.name": "x" })).toEqual({ notes: [] });
});

const run = warm();
const ggsl = (...args: string[]): Result => run(["run", "-n", "12", "--seed", "5", "--backend", "cpu", ...args]);

test("`ggsl run` without a chain takes the file's, shows it, and lets the user's settings win", () => {
  const model = join(folder, "advice.gguf");
  const advice = { "general.sampling.temp": 0.25, "general.sampling.top_k": 20, "general.sampling.mood": "good" };
  loadOracle().rewriteModel(DEMO_MODEL, model, advice, false);
  const stages = (t: number): string => `top_k(20) |> top_p(0.95) |> min_p(0.05) |> temp(${t}) |> dist()`;
  const advised = ggsl("--model", model);
  expect(advised.status).toBe(0);
  expect(advised.stderr).toContain(
    `warning: the model's metadata: "general.sampling.mood": not carried over: this key is not known`,
  );
  expect(advised.stderr).toMatch(
    /the chain is the model's sampling advice:\n\n\/\/ The sampling settings[^]*import \{ top_k, top_p, min_p, temp, dist \}/,
  );
  expect(advised.stdout).toBe(ggsl("--model", DEMO_MODEL, "-e", stages(0.25)).stdout);
  const hot = ggsl("--model", model, "--set", "temperature=3").stdout;
  expect(hot).toBe(ggsl("--model", DEMO_MODEL, "-e", stages(3)).stdout);
  expect(hot).not.toBe(advised.stdout);
  expect(ggsl("--model", model, "-e", "greedy()").stderr).not.toContain("advice");
});

test("without advice a chain is asked for", () => {
  const { status, stderr } = ggsl();
  expect(status).toBe(2);
  expect(stderr).toContain("expected either a FILE or -e STAGES: the model file contains no sampling advice");
});

test("advice that cannot be used is an error that names the keys", () => {
  const model = join(folder, "bad.gguf");
  loadOracle().rewriteModel(DEMO_MODEL, model, { "general.sampling.temp": "hot" }, false);
  const { status, stderr } = ggsl("--model", model);
  expect(status).toBe(1);
  expect(stderr).toContain('"general.sampling.temp" must be a finite number, found "hot"');
});

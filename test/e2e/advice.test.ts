/** A model's own advice: what a real GGUF says by its `general.sampling.*` keys is the chain when none is given. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSamplingAdvice } from "../../compiler/import/gguf_sampling.js";
import { checkProgram } from "../../compiler/compile.js";
import { DEMO_MODEL } from "../model/demo.js";
import { loadOracle } from "../native/oracle.js";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "ggsl-advice-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const keys = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`general.sampling.${key}`, value]));

/** The chain's stages, after its program was checked. */
function stagesOf(values: Record<string, string>): string {
  const { text, faults } = readSamplingAdvice(keys(values));
  expect(faults).toEqual([]);
  expect(checkProgram({ name: "advice", text: text! })).toEqual([]);
  return text!.slice(text!.indexOf("chain advised")).replace(/\s+/g, " ").trim();
}

describe("keys become a chain", () => {
  test("with llama.cpp's defaults and order for what they leave open", () => {
    expect(stagesOf({ temp: "0.600000", top_k: "20" })).toBe(
      "chain advised(static top_k: i32 = 20, top_p: f32 = 0.95, min_p: f32 <= 1 = 0.05, temp: f32 = 0.6) = " +
        "top_k(top_k) |> top_p(top_p) |> min_p(min_p) |> temp(temp) |> dist()",
    );
  });

  test("in the order that they say, without what does nothing", () => {
    const values = { sequence: "temperature;nucleus;penalties;xtc", top_p: "0.5", penalty_repeat: "1.1", temp: "1" };
    expect(stagesOf(values)).toBe(
      "chain advised(top_p: f32 = 0.5, static penalty_last_n: i32 = 64, penalty_repeat: f32 > 0 = 1.1) = " +
        "top_p(top_p) |> penalties(penalty_last_n, penalty_repeat) |> dist()",
    );
    expect(stagesOf({ xtc_probability: "0.5", top_k: "0", top_p: "1", min_p: "0" })).toBe(
      "chain advised(xtc_probability: f32 = 0.5, xtc_threshold: f32 = 0.1, temp: f32 = 0.8) = " +
        "xtc(xtc_probability, xtc_threshold) |> temp(temp) |> dist()",
    );
  });

  test("with mirostat in the place of everything else", () => {
    expect(stagesOf({ mirostat: "2", mirostat_tau: "3", top_k: "20" })).toBe(
      "chain advised(temp: f32 = 0.8, mirostat_tau: f32 = 3, mirostat_eta: f32 = 0.1) = " +
        "temp(temp) |> mirostat_v2(mirostat_tau, mirostat_eta)",
    );
  });
});

test("bad values are faults, unknown keys are named, no keys are no advice", () => {
  expect(
    readSamplingAdvice(keys({ temp: "hot", top_k: "1.5", mirostat: "3", sequence: "top_k;magic" })).faults,
  ).toEqual([
    'general.sampling.top_k: expected a whole number, found "1.5"',
    'general.sampling.temp: expected a number, found "hot"',
    'general.sampling.mirostat: expected 0, 1 or 2, found "3"',
    expect.stringMatching(/^general\.sampling\.sequence: expected names out of penalties, .*, found "magic"$/),
  ]);
  expect(readSamplingAdvice({ ...keys({ mood: "good" }), "general.name": "x" })).toEqual({
    ignored: ["general.sampling.mood"],
    faults: [],
  });
});

const ggsl = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, ["dist/cli/main.js", "run", "-n", "12", "--seed", "5", "--backend", "cpu", ...args], {
    encoding: "utf8",
  });

test("`ggsl run` without a chain takes the file's, shows it, and lets the user's settings win", () => {
  const model = join(folder, "advice.gguf");
  const advice = { "general.sampling.temp": 0.25, "general.sampling.top_k": 20, "general.sampling.mood": "good" };
  loadOracle().rewriteModel(DEMO_MODEL, model, advice, false);
  const stages = (t: number): string => `top_k(20) |> top_p(0.95) |> min_p(0.05) |> temp(${t}) |> dist()`;
  const advised = ggsl("--model", model);
  expect(advised.status).toBe(0);
  expect(advised.stderr).toContain("warning: general.sampling.mood of the model's file is unknown, and has no effect");
  expect(advised.stderr).toContain(
    "the chain is the model's own advice:\n\nimport { top_k, top_p, min_p, temp, dist }",
  );
  expect(advised.stdout).toBe(ggsl("--model", DEMO_MODEL, "-e", stages(0.25)).stdout);
  const hot = ggsl("--model", model, "--set", "temp=3").stdout;
  expect(hot).toBe(ggsl("--model", DEMO_MODEL, "-e", stages(3)).stdout);
  expect(hot).not.toBe(advised.stdout);
  expect(ggsl("--model", model, "-e", "greedy()").stderr).not.toContain("advice");
});

test("without advice a chain is asked for", () => {
  const { status, stderr } = ggsl();
  expect(status).toBe(2);
  expect(stderr).toContain("expected either a FILE or -e STAGES: the model's file advises no sampling");
});

test("advice that can not be used is an error that names the keys", () => {
  const model = join(folder, "bad.gguf");
  loadOracle().rewriteModel(DEMO_MODEL, model, { "general.sampling.temp": "hot" }, false);
  const { status, stderr } = ggsl("--model", model);
  expect(status).toBe(1);
  expect(stderr).toContain('general.sampling.temp: expected a number, found "hot"');
});

/** A new standard sampler is one new file: every list of samplers is derived from the library. */
import { expect, jest, test } from "@jest/globals";
import * as fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stdEntry } from "../../compiler/std/entry.js";
import { STD_FILES } from "../../compiler/std/std.generated.js";

const HALVE = `/// Divide the logits by \`t\`, or add \`offset\` to them.
/// Source: this test.
sampler halve(t: f32 > 0 = 2, static rows: i32 >= 1 = 1, adds: bool = false, offset: f32 = 0) {
  logit = adds ? logit + offset : logit / t
  keep prob > 0.01 at least rows
}

chain example() = halve(3)

test "a half" {
  logits [1, 2]
  run    halve()
  expect logits [0.5, 1]
}
`;

test("every list has a sampler that is added to the library", async () => {
  const files = { ...STD_FILES, halve: stdEntry("halve", HALVE) };
  jest.unstable_mockModule("../../compiler/std/std.generated.js", () => ({ STD_FILES: files }));
  const { STAGES } = await import("../golden/stages.js");
  expect(STAGES["halve"]).toEqual(["halve(3)", { outputs: ["candidates", "logits", "probs"] }]);
  const { FULL_CHECKS } = await import("../../bench/cases/checks.js");
  expect(FULL_CHECKS.stages).toContain("halve(3)");
  const { CHAINS } = await import("../vulkan/wideChains.js");
  expect(CHAINS).toContain("halve(3) |> dist(1)");
  const { compileStages, graphOf } = await import("../../compiler/driver.js");
  expect(graphOf(compileStages("halve(3)")).nodes.length).toBeGreaterThan(1);
  const { standardFilters, standardStage } = await import("../random/standard.js");
  const { counter, newScope } = await import("../random/text.js");
  const draft = { scope: newScope({}, counter()), params: [], set: {}, uniforms: {}, sets: {}, changing: {} };
  const stages = fc
    .sample(standardFilters, { seed: 1, numRuns: 900 })
    .map((choice) => standardStage(draft, choice, choice.sampler.name));
  const own = stages.filter((stage) => stage.startsWith("halve("));
  expect(own.length).toBeGreaterThan(2);
  expect(own.join("\n")).toMatch(/t: [0-9.e-]+, rows: [1-9]\d*, adds: (true|false|a\d+), offset: /);
});

// ---------------------------------------------------------------- other lists

const ELSEWHERE = [".git", "build", "dist", "docs", "node_modules"];

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ELSEWHERE.includes(entry.name) ? [] : sourcesIn(path);
    return /\.(ts|mjs|cc|h)$/.test(entry.name) && !entry.name.includes(".generated.") ? [path] : [];
  });
}

/** Tables about llama.cpp may name its samplers, so only the names of the others reveal a list. */
const NAMES = Object.keys(STD_FILES).filter((name) => !STD_FILES[name]!.text.includes("llama_sampler_init"));

/** As a string, a key or a call. */
const isNamed = (name: string, text: string): boolean => new RegExp(`["'\`]${name}["'\`]|\\b${name}[(:]`).test(text);

test("no source lists the standard samplers", () => {
  const texts = sourcesIn(".").map((path) => [path, readFileSync(path, "utf8")] as const);
  expect(texts.length).toBeGreaterThan(300);
  const named = texts.map(([path, text]) => [path, NAMES.filter((name) => isNamed(name, text))] as const);
  expect(named.filter(([, names]) => names.length > NAMES.length / 2)).toEqual([]);
});

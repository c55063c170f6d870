/** No sampler of the standard library goes without a comparison because it was forgotten. */
import { expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SAMPLERS } from "./samplers.js";

/** llama.cpp has no such sampler. */
const WITHOUT_PEER = [
  "entropy_temp",
  "epsilon",
  "eta",
  "no_repeat_ngram",
  "p_less",
  "quadratic",
  "skew",
  "tail_free",
  "top_a",
];

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

test("every standard sampler is in the table, or has no peer", () => {
  const files = readdirSync(folder("../../compiler/std")).filter((f) => f.endsWith(".ggsl"));
  const known = [...Object.keys(SAMPLERS), ...WITHOUT_PEER];
  expect(files.map((f) => f.replace(".ggsl", "")).sort()).toEqual(known.sort());
});

test("every sampler of the table is compared by itself", () => {
  const tests = readdirSync(folder(".")).filter((f) => f.endsWith(".test.ts"));
  const texts = tests.map((f) => readFileSync(folder(f), "utf8")).filter((text) => text.includes("testSamplers("));
  const compared = Object.keys(SAMPLERS).filter((name) => texts.some((text) => text.includes(`"${name}"`)));
  expect(compared.sort()).toEqual(Object.keys(SAMPLERS).sort());
});

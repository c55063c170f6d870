/**
 * Every standard sampler that llama.cpp has, on Vulkan against llama.cpp's own, with the random cases and the tolerances of
 * test/parity. More of them: `npm run parity -- --cases 500 --vulkan`.
 */
import { expect } from "@jest/globals";
import { readFileSync } from "node:fs";
import { SAMPLERS } from "../parity/samplers.js";
import { newReport, runGroup, runJest, type Ended } from "./children.js";
import { vulkanTest } from "./vulkan.js";

/** Of each sampler. */
const CASES = process.env["GGSL_PARITY_CASES"] ?? "12";
const FILES = ["cuts", "logits", "mirostat", "picks"].map((name) => `test/parity/${name}.test.ts`);

/** The names of a file's tests: of samplers, or of several as `xtc dist`. */
function namesIn(file: string): string[] {
  const texts = [...readFileSync(file, "utf8").matchAll(/"([^"]+)"/g)].map(([, text]) => text!);
  return [...new Set(texts)].filter((text) => text.split(" ").every((name) => name in SAMPLERS));
}

const run = (file: string, names: readonly string[]): Ended =>
  runJest([file, "-t", `^(${names.join("|")}) on vulkan$`], { GGSL_BACKENDS: "vulkan", GGSL_PARITY_CASES: CASES });

vulkanTest(
  `every sampler agrees with llama.cpp's in ${CASES} cases, on Vulkan`,
  () => {
    const report = newReport();
    for (const file of FILES)
      runGroup(
        namesIn(file),
        (names) => run(file, names),
        (name) => `${name}, in ${file}`,
        report,
      );
    const rows = report.outputs.flatMap((output) => output.split("\n").filter((line) => / vulkan +\d/.test(line)));
    process.stdout.write(`parity with llama.cpp on vulkan, ${report.retried} groups run again\n${rows.join("\n")}\n`);
    expect(report.failures.join("\n\n")).toBe("");
    const compared = rows.map((row) => row.replace(/ +vulkan.*/, ""));
    expect(compared.sort()).toEqual(FILES.flatMap(namesIn).sort());
    expect(Object.keys(SAMPLERS).filter((name) => !compared.includes(name))).toEqual([]);
  },
  600,
);

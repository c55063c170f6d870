/**
 * Every standard sampler with a peer in llama.cpp, on Vulkan, with the random cases and tolerances of test/parity. For more
 * cases: `npm run parity -- --cases 500 --vulkan`.
 */
import { expect } from "@jest/globals";
import { GROUPS } from "../parity/groups.js";
import { newReport, runGroup, runJest, type Ended } from "./children.js";
import { vulkanTest } from "./vulkan.js";

/** Cases per sampler. */
const CASES = process.env["GGSL_PARITY_CASES"] ?? "8";
const fileOf = (group: string): string => `test/parity/${group}.test.ts`;

const run = (file: string, names: readonly string[]): Ended =>
  runJest([file, "-t", `^(${names.join("|")}) on vulkan$`], { GGSL_BACKENDS: "vulkan", GGSL_PARITY_CASES: CASES });

vulkanTest(
  `every sampler agrees with llama.cpp's in ${CASES} cases, on Vulkan`,
  () => {
    const report = newReport();
    for (const [group, names] of Object.entries(GROUPS))
      runGroup(
        names,
        (some) => run(fileOf(group), some),
        (name) => `${name}, in ${fileOf(group)}`,
        report,
      );
    const rows = report.outputs.flatMap((output) => output.split("\n").filter((line) => / vulkan +\d/.test(line)));
    process.stdout.write(`parity with llama.cpp on vulkan, ${report.retried} groups run again\n${rows.join("\n")}\n`);
    expect(report.failures.join("\n\n")).toBe("");
    const compared = rows.map((row) => row.replace(/ +vulkan.*/, ""));
    expect(compared.sort()).toEqual(Object.values(GROUPS).flat().sort());
  },
  600,
);

/** Tools that not every machine has. */
import { describe } from "@jest/globals";
import { spawnSync } from "node:child_process";

/** Required where the tests must be complete. */
const isNeeded = process.env["GGSL_NEED_C_TOOLS"] === "1";

/** Tests that need a tool, skipped with the reason in the title where it is missing. */
export function withTool(tool: string, tests: () => void): void {
  const isThere = isNeeded || spawnSync(tool, ["--version"]).status === 0;
  (isThere ? describe : describe.skip)(isThere ? tool : `${tool} (skipped: it is not installed)`, tests);
}

/** Runs the C++ tool on cases. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool, type ToolOptions } from "../tool.js";
import { encodeCases, type Case } from "./caseFile.js";

/** Reads an object from each line that the tool prints. An error of a case ends it, because every device can run all cases. */
export async function runCases<T>(
  command: string,
  cases: readonly Case[],
  args: readonly string[],
  options: ToolOptions = {},
): Promise<T[]> {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-bench-"));
  try {
    const file = join(folder, "some.cases");
    writeFileSync(file, encodeCases(cases));
    const { status, lines } = await runTool([command, file, ...args], options);
    const results = lines.map(parseLine<T>);
    if (status !== 0) throw new Error(`ggsl_replay ended with status ${status}`);
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function parseLine<T>(text: string): T {
  const line = JSON.parse(text) as T & { case?: string; error?: string };
  if (line.error !== undefined) throw new Error(`${line.case ?? "a case"}: ${line.error}`);
  return line;
}

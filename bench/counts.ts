/** Work on GPUs as `ggsl_replay count` counts it. */
import { runCases } from "./cases/run.js";
import type { CountedCase } from "./cases/counts.js";
import type { WorkCount } from "./results.js";
import type { ToolOptions } from "./tool.js";

/** One line of the tool. */
type Line = Omit<WorkCount, "chain"> & { readonly case: string };

export async function countWork(cases: readonly CountedCase[], options?: ToolOptions): Promise<WorkCount[]> {
  const lines = await runCases<Line>("count", cases, [], options);
  return lines.map(({ case: name, ...counts }, i) => {
    const found = cases[i]!;
    if (found.name !== name) throw new Error(`expected the case "${found.name}", found "${name}"`);
    return { chain: found.chain, ...counts };
  });
}

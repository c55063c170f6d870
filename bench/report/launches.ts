/** Work on GPUs as tables. */
import type { FamilyWork, GraphWork, WorkCount } from "../results.js";
import type { Table } from "./table.js";

/** Starting a kernel that waits for the one before it. */
const LAUNCH_US = 3;
/** An H200's memory, in bytes per second. */
const BANDWIDTH = 4.8e12;

export const MODEL = `${LAUNCH_US} us for each launch, and the bytes at ${BANDWIDTH / 1e12} TB/s`;

const usOf = ({ launches, bytes }: GraphWork): number => launches * LAUNCH_US + (bytes / BANDWIDTH) * 1e6;

export const launchTable = (counts: readonly WorkCount[], family: "cuda" | "vulkan"): Table => ({
  head: [
    ...["chain", "sequences", "nodes", "llama.cpp's", "launches", "llama.cpp's", "MB", "llama.cpp's"],
    ...["us", "llama.cpp's", "ratio"],
  ],
  rows: counts.map((count) => [cell(count.chain), String(count.rows), ...workCells(count[family])]),
});

/** A chain as code that does not end its cell. */
const cell = (chain: string): string => (chain.includes("(") ? `\`${chain.replaceAll("|", "\\|")}\`` : chain);

function workCells({ ggsl, llama }: FamilyWork): string[] {
  const pair = (of: (work: GraphWork) => string): string[] => [of(ggsl), llama ? of(llama) : "-"];
  return [
    ...pair((work) => String(work.nodesWithoutViews)),
    ...pair((work) => String(work.launches)),
    ...pair((work) => (work.bytes / 1e6).toFixed(1)),
    ...pair((work) => usOf(work).toFixed(0)),
    llama ? (usOf(ggsl) / usOf(llama)).toFixed(2) : "-",
  ];
}
